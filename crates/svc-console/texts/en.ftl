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

# Finding places, and keys.

find = Find
find-hint = Name of a place or a table, or a table and a key
find-recent = Open before
find-close = Close
find-records = Record
find-nothing = Nothing fits. Enter a part of a name, or the name of a table with the key of a record.
find-more = and { $count } more: enter more of the name
find-away = { $name } does not answer, so its tables are not here.
keys = Keys
keys-close = Close what is open
keys-search = To the search
keys-cells = To the next cell
keys-row = To the first or last cell of the row
keys-ends = To the first or last cell of the table
keys-open = Open the record or the link of the cell
keys-range = Choose several cells
keys-copy = Copy the cells
