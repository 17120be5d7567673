# The texts of the console in English. Other languages have the same ones.

skip = Skip to the content
areas = Parts of the environment
area-data = Data
crumbs = Where you are
environment = Environment
production = production
request-id = Request:
confirm-name = To confirm, enter the name: { $name }
confirm-name-wrong = Enter { $name } to confirm. Nothing was done.
yes = yes
no = no
empty = empty
bytes = { $count ->
    [one] { $count } byte
   *[other] { $count } bytes
}

sign-in = Sign in
sign-in-wrong = The e-mail address or the password is wrong.
sign-in-ended = Your session has ended. Sign in to go on; nothing of what you entered is lost.
sign-in-again-title = You are signed in again
sign-in-again = What you entered was not sent yet.
sign-out = Sign out
email = E-mail address
password = Password
go-on = Go on

enter = Welcome
enter-what = This link signs you in once.
enter-invalid = This link was used before, or is too old. Ask for another one, or sign in with your password.
first-run = The first account
first-run-what = Nobody operates this service yet. This account may do everything.
first-run-make = Make the account
first-run-late = Somebody operates this service already, or the link is not whole.

problem-title = That did not work
problem-home = To the projects
problem-not-found = There is nothing at this address. It may have been deleted, or you may not see it.
problem-method = This address can only be opened, or be sent a form.
problem-not-utf8 = The address or the form has characters that cannot be read.
problem-not-a-form = What was sent is not a form.
problem-too-large = What was sent is too large. Send less at once.
problem-foreign = The form was sent from another site, so nothing was done. Open the page here and send it again.
problem-other-account = Somebody else has signed in meanwhile, so nothing was done. Open the page again.
problem-unavailable = The service cannot look up sessions just now. Try again in a moment.

projects = Projects
projects-empty = You are a member of no project yet. Ask an administrator to add you.
projects-resources = { $count ->
    [0] no database
    [one] one database
   *[other] { $count } databases
}
resources-empty = No database is connected yet.
models-empty = This database has no tables.
view = view
fields-count = { $count ->
    [one] one field
   *[other] { $count } fields
}

connect = Connect a database
connect-save = Connect
connect-test = Test
resource-name = Name
resource-name-hint = The name in addresses, such as shop. It cannot be changed later.
path = File
path-hint = On the machine of the service.
host = Host
port = Port
database = Database
database-user = User
keep-unchecked = Keep it although the database cannot be reached
test-passed = Connected: { $engine } { $version }, { $models ->
    [one] one table or view
   *[other] { $models } tables and views
}, read in { $milliseconds } ms. Nothing was saved.
state = State
state-up = connected
state-down = not reachable
state-connecting = connecting
reason = Reason
engine = Database system
address = Address
models = Tables and views
pool = Connections
pool-use = { $used } of { $size } in use, { $waiting } waiting
open-records = Open
reload = Read the structure again
reloaded = The structure was read again.
disconnect = Disconnect
disconnect-what = { $name } is disconnected with its tokens and secrets. The database itself stays as it is.

search = Search
field = Field
lookup = Comparison
value = Value
not = not
filters = Filters
filter-add = Filter
filter-apply = Add filter
filter-remove = Remove filter
filter-hint = Several values are separated by commas. For “is NULL” and “is empty” the value is true or false.
columns = Columns
columns-apply = Show these
lookup-exact = is
lookup-ne = is not
lookup-icontains = contains
lookup-istartswith = begins with
lookup-iendswith = ends with
lookup-gt = is greater than
lookup-gte = is at least
lookup-lt = is less than
lookup-lte = is at most
lookup-in = is one of
lookup-range = is between
lookup-isnull = is NULL:
lookup-isempty = is empty:
records-empty = No record fits.
pages = Pages
previous = Previous
next = Next
shown = { $count ->
    [one] one record shown
   *[other] { $count } records shown
}
count-exact = { $count ->
    [one] one record
   *[other] { $count } records
}
count-about = about { $count } records
count-unknown = The records were not counted.

record-new = New record
required = required
too-long = { $count } characters: too long to be changed here. It stays as it is.
by-database = The database fills it.
refers-to = Refers to { $model }.
refers-open = Refers to { $model } { $key }
related = Records that refer to this one
state-value = value
state-default = default
save = Save
create = Create
cancel = Cancel
saved = Saved.
unchanged = Nothing was changed, so nothing was saved.
back-to-list = Back to the list
fields-wrong = Some fields are not right. Nothing was saved.
conflict-apart = Somebody else has changed other fields meanwhile. Their changes are below, with yours; save again to keep both.
conflict-same = Somebody else has changed the same fields meanwhile. Yours are in the form, theirs are shown below them; save again to keep yours.
conflict-theirs = Now in the database:

delete = Delete
delete-what = The record { $key } of { $model } is deleted for good.
delete-changed = Somebody else has changed the record meanwhile. Look at it again before you delete it.
references-count = { $count ->
    [one] one record refers to it
   *[other] { $count } records refer to it
}
references-hidden = records that you may not see
rule-cascade = deleted along with it
rule-set-null = which then refer to nothing
rule-restrict = which forbid it

# Integrations, code, credentials.
area-integrations = Integrations
copy-text = Copy
copy-done = Copied
secret-once = Copy this now. It is shown this once, and nobody can look it up later.
secret-shown-before = This was made already, and its text was shown then. If it was not kept, revoke it and make another one.
credentials-name = Name
credentials-name-hint = For you: who or what uses it.
credentials-begins = Begins with
credentials-made = Created
credentials-used = Last used
credentials-never-used = never used
credentials-ends = Ends
credentials-never-ends = never
credentials-over = over
credentials-last-day = Last day
credentials-last-day-hint = Left empty, it never ends.
credentials-unnamed = without a name
credentials-revoke = Revoke
credentials-revoke-what = stops working at once. It cannot be given back; whatever still uses it gets no more answers.
credentials-was-revoked = revoked
credentials-revoked = Show revoked ones
credentials-valid = Hide revoked ones
credentials-empty = There is none yet. Create one for the program that needs it.
integrations-tokens = Tokens
integrations-tokens-what = A static token opens one database for one program. Keep it out of pages that other people's browsers load.
integrations-token-new = New token
integrations-opens = Opens
integrations-tools = users and teams
integrations-rights = May
integrations-everything = everything, SQL too
integrations-read = read records
integrations-write = read and write records
integrations-delete = read, write and delete records
integrations-models = Only these tables
integrations-models-hint = Separated by commas. Left empty, all of them.
integrations-token-usage = This gives the structure of the database. Every other request takes the same header.
integrations-service-tokens = Service tokens
integrations-service-tokens-what = A service token gives a program the rights of a team, with its rules about rows and fields, and the HTTP proxy.
integrations-service-token-usage = Send it with every request:
integrations-team = Team
integrations-team-hint = The program may do what members of this team may do.
integrations-keys = API keys
integrations-keys-what = The API keys of members that reach this project. Each acts as its account.
integrations-keys-own = Make one of your own in your profile.
integrations-keys-exclude = The key belongs to { $email }. It goes on working in other projects.
integrations-secrets = Secrets
integrations-secrets-what = Keys of other services. The HTTP proxy sends them for callers who do not know them, to these hosts alone. A value is never shown again.
integrations-secrets-empty = No secret is set. Set one to call another service without giving its key to browsers.
integrations-secret-set = Set a secret
integrations-secret-hint = Requests name it with { "{-name-}" }. A secret of the same name is replaced.
integrations-secret-delete = The secret { $name } of { $resource } is deleted. Requests of the HTTP proxy that use it fail from then on.
integrations-resource = Resource
integrations-sent-to = Sent to
integrations-sent-to-hint = Hosts, separated by commas.
integrations-value = Value
integrations-value-hint = It can be replaced later, but not read.
integrations-changed = Changed
integrations-hosts = Allowed hosts
integrations-hosts-what = Hosts that are not public, and that the HTTP proxy of this project may reach all the same. They hold for all environments.
integrations-hosts-empty = No host is allowed. Public hosts need no permission.
integrations-host-allow = Allow
integrations-host-remove = Remove
integrations-host-what = The HTTP proxy no longer reaches { $host }, in no environment of the project.
integrations-allowed-since = Allowed since
snippets = Code
snippets-what = These requests give what the page shows. They need a token of { $resource } in the environment:
snippets-token = Create a token

# History, undo, audit.
history = History
history-of-deleted = History of { $key }
history-deleted = This record is deleted. Undo the deletion below to have it again.
history-empty = Nothing has changed this record through the service, or its history was removed.
history-created = Created
history-changed = Changed
history-removed = Deleted
history-before = Before
history-after = After
history-cut = { $count ->
    [one] one byte in all
   *[other] { $count } bytes in all
}
history-newest = Newest
history-older = Older
history-unknown = The service ended before it knew whether this was done.
history-without-values = The values were not kept.
history-nothing = No value was changed.
actor-account = account
actor-user = user
actor-api-key = API key
actor-static-token = token
actor-service-token = service token
actor-anonymous = nobody who signed in
actor-program = command line
undo = Undo
undone = The change was taken back.
undo-too-long = Too long to be undone
undo-conflict = The record was changed again meanwhile, so nothing was written. The old values are in the form; what the fields have now is shown below them. Save to put the old values back.
deleted = The record { $key } was deleted.
area-audit = Audit
audit-of-service = Audit of all projects
audit-when = When
audit-who = Who
audit-what = What
audit-where = Where
audit-project = Project
audit-resource = Resource
audit-model = Table
audit-record = Record
audit-records = Records
audit-since = Since
audit-until = Until
audit-show = Show
audit-all = Show all
audit-hint = What: a group such as records, or one action such as records.update. Since and until: a time, or a span such as 7d, 12h or 30m.
audit-empty = No line fits. Remove a filter, or look further back.
audit-request = Request
audit-status = Answered with
audit-outcome = Outcome
audit-values = Values
audit-no-values = No values were kept of this.

# The profile.
profile = Profile
language-name = English
profile-names = About you
profile-first-name = First name
profile-last-name = Last name
profile-language = Language
profile-language-browser = that of the browser
profile-zone = Time zone
profile-zone-hint = Times are shown in it; without one, in UTC. Now it is
profile-security = Password and e-mail
profile-password = Password
profile-password-now = Current password
profile-password-new = New password
profile-password-repeated = New password again
profile-password-what = All other sessions end. API keys go on working.
profile-password-change = Change the password
profile-password-changed = The password was changed, and all other sessions have ended.
profile-password-differs = The new password was not entered the same twice. Nothing was changed.
profile-email-new = New e-mail address
profile-email-what = A code is sent to the new address. Nothing changes until you enter it here. Then all sessions end, and you sign in with the new address.
profile-email-send = Send the code
profile-email-sent = A code is on its way to the new address. Enter it below.
profile-email-code = Code from the mail
profile-email-confirm = Confirm the address
profile-email-changed = The e-mail address was changed.
profile-sessions = Sessions
profile-sessions-what = Where you are signed in. End what you do not know, and change your password then.
profile-sessions-end = End all others
profile-session-what = Browser or program
profile-session-address = From
profile-session-since = Since
profile-session-this = This one
profile-session-unknown = unknown
profile-session-end = End
profile-session-ended = The session has ended.
profile-keys = API keys
profile-keys-what = A program with an API key acts as you. It never has more rights than you.
profile-key-new = New API key
profile-key-all = all of yours, now and later
profile-key-some = only these:
profile-key-usage = This lists your projects. Every other request takes the same header.

# The service.
service = Service
service-overview = Overview
service-version = Version
service-nodes = Nodes
service-node = Machine
service-since = Runs since
service-seen = Last seen
service-databases = Databases
service-database = Database
service-databases-empty = No database is connected.
service-states = Look at their states
service-mails = Mails
service-mails-what = Mails that wait to be sent. Without a mail server they wait here until somebody reads them with svc mail.
service-mails-empty = No mail waits.
service-mail-to = To
service-mail-subject = Subject
service-mail-of = Project
service-mail-attempts = Attempts
service-mail-error = Last error
service-settings = Settings
service-settings-what = What is in effect on the node that has answered, and where each value was set.
service-setting = Setting
service-setting-hidden = set, and not shown
service-setting-unset = not set
service-source = Set by
service-source-flag = option
service-source-variable = variable of the environment
service-source-file = file
service-source-default = default
service-signing = Signing key
service-signing-what = It signs the access tokens of everybody who is signed in.
service-signing-rotate = Rotate the signing key
service-signing-question = A new key signs from now on. Tokens of the key before stay valid until they expire, a day at most.
service-signing-now = End those tokens now, as after a leak. Everybody stays signed in; programs renew their tokens.
service-signing-done = The key { $key } signs now.
