# The texts of the console in English. Other languages have the same ones.

# What is around every page.

skip = Skip to the content
areas = Parts of the environment
area-data = Data
area-users = Users
area-settings = Settings
area-pages = Pages
area-sql = SQL
area-charts = Charts
area-integrations = Integrations
area-audit = Audit
crumbs = Where you are
environment = Environment
production = production
request-id = Request:
sign-out = Sign out
seen-as = You see what this user sees:
seen-as-only = Nothing can be changed here.
seen-as-end = Back to your own view

# Words of many places.

confirm-name = To confirm, type { $name }
confirm-name-wrong = Type { $name } to confirm. Nothing was done.
yes = yes
no = no
empty = empty
bytes = { $count ->
    [one] { $count } byte
   *[other] { $count } bytes
}
email = E-mail address
password = Password
go-on = Go on
search = Search
pages = Pages
previous = Previous
next = Next
shown = { $count ->
    [one] one record shown
   *[other] { $count } records shown
}
sorted-up = Sorted by { $name }, ascending.
sorted-down = Sorted by { $name }, descending.
required = required
save = Save
create = Create
cancel = Cancel
saved = Saved.
unchanged = Nothing was changed, so nothing was saved.
choose = Choose
choose-one = Choose record { $key }
copy-text = Copy
copy-done = Copied
language-name = English

# Signing in.

sign-in = Sign in
sign-in-wrong = The e-mail address or the password is wrong.
sign-in-ended = Your session has ended. Sign in to continue; nothing that you entered is lost.
sign-in-again-title = You are signed in again
sign-in-again = What you entered was not sent yet.
forgotten = Forgotten password
forgotten-what = We send a mail with a link. It is valid for an hour and sets a new password.
forgotten-send = Send the mail
forgotten-sent = If there is an account with this address, the mail is on its way.
enter = Welcome
enter-what = This link signs you in once.
enter-invalid = This link was used before, or is too old. Ask for another one, or sign in with your password.
first-run = The first account
first-run-what = Nobody operates this service yet. This account may do everything.
first-run-make = Make the account
first-run-late = Somebody operates this service already, or the link is not whole.

# What went wrong.

problem-title = That did not work
problem-home = To the projects
problem-environment = To the environment
problem-not-found = There is nothing at this address. It may have been deleted, or you may not see it.
problem-method = This address can only be opened, or be sent a form.
problem-not-utf8 = The address or the form has characters that cannot be read.
problem-not-a-form = What was sent is not a form.
problem-no-action = The form does not say what is to be done. Open the page again, and use one of its buttons.
problem-too-large = What was sent is too large. Send less at once.
problem-too-large-to-keep = Your session has ended, and what you sent is too large to keep. Sign in in another tab, then go back here and send it again.
problem-foreign = The form was sent from another site, so nothing was done. Open the page here and send it again.
problem-stale-form = The form is not one of this session, or the browser did not say where it comes from, so nothing was done. If you have filled it in yourself, send it again. Passwords have to be entered again.
entered = What was entered
problem-other-account = Somebody else has signed in meanwhile, so nothing was done. Sign in as the one who has opened the form, and it is sent again.
problem-unavailable = The service cannot be asked about your session just now. Try again in a moment. If that does not help, tell the people who run it.
problem-again = Try again
problem-not-administrator = Only administrators of the project can do this. Ask one of them.
problem-not-operator = Only operators of the service can do this.
problem-only-seeing = You see what somebody else sees, so nothing can be changed here. Go back to your own view first.
problem-suspended = This user is suspended and can sign in nowhere, so there is nothing that this user sees. Allow the user to sign in again first.
problem-forbidden = You may not do this. Ask an administrator of the project for the right.

# Projects and accounts.

projects = Projects
projects-empty = You are a member of no project yet. Ask an administrator to add you.
projects-resources = { $count ->
    [0] no database
    [one] one database
   *[other] { $count } databases
}
projects-new = New project
projects-owner = E-mail address of the owner
projects-owner-hint = The first administrator; you, if it is empty. An address without an account gets an invitation.
accounts = Accounts
accounts-count = { $count ->
    [one] one account
   *[other] { $count } accounts
}
accounts-invite = Invite somebody
accounts-invite-hint = A mail with an invitation is sent. Operators see and administer everything; others see the projects that they are members of.
accounts-operator = Operator
accounts-is-operator = Operates the service
accounts-operator-hint = There is always an operator who can sign in: the last one cannot be removed or suspended.
accounts-self = This is your own account.
accounts-suspend-what = Nobody can sign in as { $email } until you allow it again. All sessions end, and API keys stop working.
accounts-delete-what = The account { $email } is deleted for good, with its sessions and API keys, and is removed from all projects.

# Databases and their models.

resources-empty = No database is connected yet.
resource-name = Name
resource-name-hint = The name in addresses, such as shop. It cannot be changed later.
models-empty = This database has no tables.
models-none = Your team may not read any table here. Ask an administrator of the project.
models-not-found = No table has this in its name.
models = Tables and views
view = view
structure = Structure
structure-index = Index
structure-default = Default
structure-now = the time of the change
structure-numbered = the next number
structure-computed = computed
structure-referred = Referred to by
structure-without-key = without a key: its first field stands for one
fields-count = { $count ->
    [one] one field
   *[other] { $count } fields
}
connect = Connect a database
connect-save = Connect
connect-test = Test
connect-port-wrong = Enter a number from 1 to 65535.
path = File
path-hint = On the machine of the service.
host = Host
port = Port
database = Database
database-user = User
tls-choose = choose whether the connection is encrypted
tls-if-offered = if the server offers it
tls-never = never
tls-always = always, whoever the server is
tls-verified = always, with a certificate that is checked
connection = Change the connection
connection-hint = The password, and what stands behind a question mark in the address, are never shown. Enter them again: the whole address is replaced. Tokens and everything else stay.
connection-changed = Somebody else has changed the connection meanwhile. Saving again replaces that.
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
pool = Connections
pool-use = { $used } of { $size } in use, { $waiting } waiting
open-records = Open
reload = Read the structure again
reloaded = The structure was read again.
disconnect = Disconnect
disconnect-what = { $name } is disconnected with its tokens and secrets. The database itself stays as it is.
diagram = Diagram
diagram-model = Table or view
diagram-steps = With those
diagram-step-1 = one step away
diagram-step-2 = up to two steps away
diagram-show = Show
diagram-all = All
diagram-about = { $models ->
    [one] One box
   *[other] { $models } boxes
} for tables, and { $references ->
    [one] one arrow
   *[other] { $references } arrows
} for references. The table below has the same.
diagram-legend = An arrow leads from a field to the table that it refers to. The key is underlined.
diagram-more = { $count } more
diagram-key = Key
diagram-type = Type
diagram-refers = Refers to
diagram-references = References
diagram-around = Neighbours
diagram-empty = No table refers to another one. References appear here when the database declares foreign keys.
diagram-unrelated = Without relations
diagram-large = More than { $most } tables have relations, too many for one picture. Choose one to see it with those around it.
diagram-most-related = With the most relations
diagram-related = { $count ->
    [one] one relation
   *[other] { $count } relations
}
diagram-left-out = Not drawn
diagram-left-out-what = { $drawn ->
    [one] One table is
   *[other] { $drawn } tables are
} drawn. { $count ->
    [one] One more is
   *[other] { $count } more are
} within these steps.
diagram-found = With this text in their names
diagram-none = No table has this text in its name.
diagram-fields = Fields of { $model }

# Records as a table.

field = Field
lookup = Comparison
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
lookup-isnull = is NULL
lookup-isempty = is empty
lookup-not-icontains = does not contain
lookup-contains = contains (upper and lower case differ)
lookup-regex = matches the regular expression
lookup-not-in = is none of
lookup-not-range = is not between
lookup-not-isnull = is not NULL
lookup-not-isempty = is not empty
lookup-json-icontains = contains, as text
lookup-not-json-icontains = does not contain, as text
lookup-coveredby = lies within
lookup-contains-any = has one of
lookup-contains-all = has all of
lookup-contained-by = has nothing but
lookup-len = has so many elements:
lookup-len-gte = has at least so many elements:
lookup-len-lte = has at most so many elements:
value = Value
not = not
filters = Filters
filter-add = Filter
filter-apply = Add filter
filter-remove = Remove filter
filters-shown = Only records for which
filters-search = any field contains
filters-other = a tree of conditions holds
filters-either-alone = either
filters-either = and either
filters-or = or
filters-none = Show all
filters-wrong = No records are shown until this filter is changed or removed.
filter-not-null = and is not NULL
filter-edit = Change this filter
filter-change = Change filter
filter-from = From
filter-to = To
filter-lines = Values, one on each line
filter-group = Applies
filter-group-all = always, together with all others
filter-group-one = in alternative { $number }
filter-group-first = as an alternative to all others
filter-group-new = in another alternative
columns = Columns
columns-apply = Show these
filters-gone = These filters are about columns that are not there any more, so they were left out, and more records may be shown: { $names }
columns-gone = These columns are not there any more, so they were left out: { $names }
columns-remember = Show these by default
columns-forget = Forget the columns that I chose
columns-find = Find a column
columns-width-of = Width of { $name }
columns-left = Move { $name } to the left
columns-right = Move { $name } to the right
columns-pin = Pin
columns-pin-of = Pin { $name }
columns-pin-hint = Pinned columns, three at most, come first and stay visible when the table is scrolled sideways. On a narrow screen only the first one stays.
columns-unpinned = Only three columns can be pinned, so the others were not.
records-empty = No record fits.
record-gone = This record is not there any more: it was deleted, or its key was changed. What you typed is still in the form.
record-new = New record
count-exact = { $count ->
    [one] one record
   *[other] { $count } records
}
count-about = about { $count } records
count-all = Count all
count-exactly = Count exactly
count-unknown = The records were not counted.
too-long-bytes = { $count } bytes: too long to be changed here. It stays as it is.
too-long = { $count } characters: too long to be changed here. It stays as it is.
width-automatic = automatic
width-narrow = narrow
width-medium = medium
width-wide = wide
width-widest = very wide
slow-reads-count = The database reads the whole table for this list, about { $count } records, since no index helps.
slow-reads = The database reads the whole table for this list, which is large, since no index helps.
slow-index = It is fast once the table has an index on these columns: { $names }.
slow-narrow = Comparisons of this kind cannot use an index. It is fast with a further filter by a column that has one: { $names }.
list-load = Load the list
away-database = The database has not answered since { $time }. What is shown was read before; it can be changed again when the database is back.
away-service = The service does not answer. What is shown was read before.
list-again = The list could not be shown. Load the page again.

# Saved views.

views = Views
view-all = All
view-shared = shared
view-changed = changed
view-edit = Change the view
view-save = Save as a view
view-name = Name of the view
view-share = All members of the project see it
view-replace = Keep what the list shows now: its columns, filters and order
view-delete-what = The view { $name } is deleted. The records stay.
view-delete-shared = The view { $name } is deleted for all members of the project. The records stay.

# Cells, values, and records that are chosen by name.

value-open = Look at it, save it or replace it
value-save = Save as a file
value-back = Back to the record
value-replace = Replace by a file
value-replace-run = Replace
value-null = Set to NULL
value-beginning = the first { $count } bytes
value-changed = Somebody else has changed the record meanwhile, so nothing was replaced. Look at it again.
pick = Choose …
pick-search = Name or key in { $model }
pick-found = Records found
pick-back = Back without choosing
pick-make = New record in { $model }
pick-made = Create and choose
pick-is-made = { $name } was made, and is chosen. Save to keep that.
pick-is-made-only = { $name } was made. Choose it by its name.
cell-open = Whole record
cell-only = Only this value
cell-not = Not this value
cell-same = Records with the same values
cell-lost = The service cannot be reached, so nothing was saved. What you typed stays here; save it when you are connected again.
cell-unsaved = This value is not saved. Save it or cancel first.

# One record.

by-database = Set by the database.
unread = It cannot be read now, and stays as it is.
why-view = This is a view, whose records cannot be changed.
why-rights = You may not change records of this table.
key-no-address = A record with this key has no address, so it cannot be opened here.
why-database = The database sets this value, so it cannot be changed.
why-key = This table has no primary key: a record is found by { $field }. Where that is empty, or several records have the same, it cannot be changed.
binary-hint = Hexadecimal digits, two for each byte. Later, a file can replace them.
refers-to = Refers to { $model }.
refers-open = Refers to { $model } { $key }
related = Records that refer to this one
state-value = value
state-default = default
back-to-list = Back to the list
fields-wrong = Some fields are not right. Nothing was saved.
fields-conflict = Somebody else has changed the same fields meanwhile. Nothing was saved. What you have entered is in the form, and below it what the fields are now. Save again to keep yours.
fields-now = Now it is:
conflict-apart = Somebody else has changed other fields meanwhile. Their changes are below, with yours; save again to keep both.
conflict-same = Somebody else has changed the same fields meanwhile. Nothing was saved. Choose below which value to keep, then save again.
conflict-base = Before both changes:
conflict-theirs = Now in the database:
conflict-mine = In this form:
conflict-keep = Keep mine
conflict-take = Take theirs
delete = Delete
delete-what = The record { $key } of { $model } will be deleted.
delete-forbidden = The record { $key } of { $model } cannot be deleted while others refer to it:
delete-changed = Somebody else has changed the record meanwhile. Look at it again before you delete it.
references-count = { $count ->
    [one] one record refers to it
   *[other] { $count } records refer to it
}
references-hidden = records that you may not see
rule-cascade = to be deleted along with it
rule-set-null = the reference becomes empty
rule-restrict = to be deleted or changed first

# Many records at once.

bulk-with = Many records:
bulk-only = the chosen ones
bulk-all = all of this list, on all pages
bulk-except = all of this list but the chosen ones
bulk-change = Change
bulk-delete = Delete
bulk-which-all = All records of the list:
bulk-which-only = { $count ->
    [one] The chosen record:
   *[other] The { $count } chosen records:
}
bulk-which-except = { $count ->
    [one] All records of the list but one:
   *[other] All records of the list but { $count }:
}
bulk-none = No record is chosen. Mark some in the list, or choose all of it.
bulk-too-many = Too many records are chosen one by one for a key of several fields. Choose fewer, or filter the list.
bulk-fields = What to change
bulk-keep = as it is
bulk-no-change = Choose a field and what becomes of it.
bulk-preview = Preview
bulk-preview-again = Preview again
bulk-some = Some of the records
bulk-record = Record
bulk-leave-out = Leave out
bulk-leave-out-one = Leave out record { $key }
bulk-leave-out-marked = Leave out what is marked
bulk-left-out = Record { $key } is left out
bulk-becomes = becomes
bulk-change-run = { $count ->
    [one] Change one record
   *[other] Change { $count } records
}
bulk-delete-what = { $count ->
    [0] no record.
    [one] one record will be deleted.
   *[other] { $count } records will be deleted.
}
bulk-delete-run = { $count ->
    [one] Delete one record
   *[other] Delete { $count } records
}
bulk-references = Records of other tables that refer to these:
bulk-references-all = { $count ->
    [one] ({ $count } record)
   *[other] ({ $count } records)
}
bulk-references-shown = ({ $count } of those that refer to the { $seen } records that are shown; the others were not looked at)
bulk-rule-cascade = are deleted too
bulk-rule-set-null = stay, and then refer to nothing
bulk-rule-restrict = prevent it: nothing is deleted while they refer to one of these
bulk-other-number = The number of matching records has changed since the preview. Nothing was changed. Check the new preview.
bulk-changed = { $count ->
    [one] One record was changed.
   *[other] { $count } records were changed.
}
bulk-deleted = { $count ->
    [one] One record was deleted.
   *[other] { $count } records were deleted.
}
bulk-undone = { $count ->
    [one] One record is again as it was.
   *[other] { $count } records are again as they were.
}
bulk-undo-title = Undo a change of many records
bulk-undo-what = Each record gets the old values back if it still has the new ones. Records that were deleted are made again, but not what was deleted along with them.
bulk-undo-can = { $count ->
    [one] One record can be put back.
   *[other] { $count } records can be put back.
}
bulk-undo-unchanged = { $count ->
    [one] One record had the new values before.
   *[other] { $count } records had the new values before.
}
bulk-undo-cannot = { $count ->
    [one] One record cannot be put back
   *[other] { $count } records cannot be put back
}
bulk-undo-more = … and more.
bulk-undo-nothing = This cannot be undone.
bulk-undo-left = { $count ->
    [one] One record that was reached before is not as it was.
   *[other] { $count } records that were reached before are not as they were.
}
bulk-undo-changed = { $count ->
    [one] One record was changed or deleted since, and stays as it is
   *[other] { $count } records were changed or deleted since, and stay as they are
}
bulk-undo-refused = { $count ->
    [one] One record is not as it was
   *[other] { $count } records are not as they were
}
bulk-undo-stopped = Not all records were reached yet.
bulk-undo-go-on = Go on
bulk-other-values = The values, or the records that are left out, are not those of the preview. Nothing was changed; look at the new preview.

# Export and import.

export = Export
export-what = All records of this list, on all pages.
export-csv-shown = CSV, the columns shown
export-csv-all = CSV, all columns
export-ndjson-shown = Lines of JSON, the columns shown
export-ndjson-all = Lines of JSON, all columns
import = Import
import-what = A CSV file becomes records: its first line has the names of the columns. Nothing is saved before you have seen what the columns become.
import-file = File
import-file-again = The file again: it is too large to be kept between two pages
import-delimiter = Columns are separated by
import-delimiter-guess = what the file looks like
import-delimiter-comma = comma
import-delimiter-semicolon = semicolon
import-delimiter-tab = tab
import-read = Read the columns
import-no-file = Choose a file.
import-no-step = The form did not say what to do with the file; nothing was done. Choose a button.
import-no-head = The file has no line with the names of its columns.
import-mapping = What the columns become
import-column = Column
import-values = First values
import-becomes = Becomes the field
import-becomes-of = Field for { $column }
import-leave-out = — left out —
import-empty = As usual, "" is the empty text where the field is a text, and a cell with nothing in it NULL where the field allows it, else the empty text. A choice is for both.
import-empty-cells = Empty cells become
import-empty-of = What empty cells of { $column } become
import-empty-usual = as usual
import-empty-null = NULL
import-empty-text = the empty text
import-empty-default = the field’s default
import-on-conflict = Change records that have the same values in
import-on-conflict-hint = Unique fields, separated by commas. Empty: each row becomes a new record.
import-run = Import
import-try = Test without saving
import-progress = How much of the file was read
import-running = The import runs.
import-tried = Tested; nothing was saved.
import-done = Imported.
import-cancelled = The import was ended.
import-failed = The import cannot go on.
import-did = { $read ->
    [one] One row
   *[other] { $read } rows
} read: { $made ->
    [one] one new record
   *[other] { $made } new records
}, { $updated } changed, { $refused } refused.
import-would = { $read ->
    [one] One row
   *[other] { $read } rows
} read: { $made ->
    [one] one would be a new record
   *[other] { $made } would be new records
}, { $updated } changed, { $refused } refused.
import-refused = Refused rows
import-refused-file = All refused rows as a file
import-row = Row
import-content = Content
import-cancel = End the import
import-resume = Go on
import-another = Import another file
import-too-many-columns = A file may have 2,000 columns, and their names must not be longer than two megabytes together. Send a file with fewer columns.

# History and undo.

history = History
history-of-deleted = History of { $key }
history-deleted = This record is deleted. Undo the deletion below to restore it.
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
undo-too-long = Too long to be undone
undo-other-key = Cannot be undone: the database would give the record another key
undo-not-kept = The old values were not kept.
undo-not-allowed = You may not write the old values.
undo-otherwise = The database made something else of the old values.
undone-except = { $count ->
    [one] One record has its old values again, but the database itself gave values to these fields: { $fields }
   *[other] { $count } records have their old values again, but the database itself gave values to these fields: { $fields }
}
undo-conflict = The record was changed again meanwhile, so nothing was written. The old values are in the form; what the fields have now is shown below them. Save to put the old values back.
undone = The change was taken back.
deleted = The record { $key } was deleted.

# What runs, and what was saved.

waiting-runs = Running …
waiting-cancel = Cancel it
saved-name = Name
saved-shared = Shared: every member of the project sees it
saved-new = Save as new
saved-is-shared = shared
saved-first = The newest { $count } are shown.
saved-others = It belongs to somebody else. Its owner and administrators may delete it.
saved-delete = { $name } is deleted.
saved-delete-shared = { $name } is deleted, for everybody in the project.

# SQL.

sql-databases = Databases
sql-saved = Saved queries
sql-saved-empty = No query is saved yet.
sql-forbidden = Only administrators of the project may use SQL, because it sees all records.
sql-text = Query
sql-hint = One SELECT, which only reads. Ctrl-Enter runs it. A value is written :name and has its own field after the first run.
sql-parameters = Parameters
sql-type-of = Type of { $name }
sql-type-text = text
sql-type-number = number
sql-type-boolean = true or false
sql-type-null = NULL
sql-ask = This query has parameters: enter their values and run it again.
sql-run = Run
sql-run-part = Run the selection
sql-part = Of the text, only what was selected was run:
sql-part-lost = What was selected is not in the text any more, so nothing was run. Select it again.
typed-before = You typed something here that was not saved:
typed-put = Put it back
typed-discard = Discard it
sql-result = Result
sql-rows = { $count ->
    [one] one row
   *[other] { $count } rows
}
sql-first-rows = { $count ->
    [one] the first row; there are more
   *[other] the first { $count } rows; there are more
}
sql-milliseconds = { $count } ms
sql-ended-early = The answer ended early. Run the query again.
sql-empty = The query has no rows.
sql-csv = As CSV
sql-place = In the text: line { $line }, column { $column }.
sql-cancelled = It was cancelled.
sql-from-elsewhere = A link from another site opened this page, so the query was not run. Check it before you run it.
sql-structure = Tables and fields
sql-structure-find = Find tables and fields
sql-structure-empty = No table or field fits.
sql-structure-more = { $count ->
    [one] One more table: type a part of its name.
   *[other] { $count } more tables: type a part of the name.
}
sql-more = { $count ->
    [one] one more field
   *[other] { $count } more fields
}
sql-begin = Query its rows
sql-too-many-parameters = This query has more than 200 parameters. Write some of the values into its text.
sql-of-another = Another account has saved this query, and it would run with your rights. Read it before you run it.

# Charts.

chart = Chart
chart-bar = Bars
chart-line = Line
chart-pie = Pie
chart-number = Number
chart-empty = There are no numbers to draw.
chart-numbers = Numbers
chart-last = The last { $count } are drawn.
chart-more = { $count ->
    [one] One more is not drawn.
   *[other] { $count } more are not drawn.
}
chart-others = { $count ->
    [one] One other
   *[other] { $count } others
}
chart-first = Only the first { $count } were read.
chart-needs-field = Choose a field: only a number of records can be counted without one.
chart-title = { $number } ({ $model })
chart-title-by = { $number } by { $field } ({ $model })
chart-function = Calculate
chart-count = Number
chart-count-distinct = Number of different values
chart-sum = Sum
chart-avg = Average
chart-min = Smallest
chart-max = Largest
chart-of = Of
chart-records = records
chart-numeric = Numbers
chart-other-fields = Other fields
chart-by = By
chart-by-nothing = nothing: one number
chart-unit = Group dates by
chart-hour = hour
chart-day = day
chart-week = week
chart-month = month
chart-quarter = quarter
chart-year = year
chart-shape = As
chart-draw = Draw
chart-filters = { $count ->
    [0] All records.
    [one] One filter holds.
   *[other] { $count } filters hold.
}
chart-filters-change = Choose records
chart-of-sql = The first column has the labels, the second one the numbers.
chart-to-sql = Change the query
charts-saved = Saved charts
charts-empty = No chart is saved yet.
charts-empty-next = Choose a table below.
charts-new = New chart
charts-find = Find a table
charts-more-models = { $count ->
    [one] One more table: type a part of its name.
   *[other] { $count } more tables: type a part of the name.
}
charts-from-sql = The result of a query in SQL has a chart too.

# The dashboard.

dashboard = Dashboard
dashboard-show = Show
dashboard-begin = Put charts and counts here
dashboard-arrange = Arrange the dashboard
dashboard-gone = It was deleted, or is not shared with you.
dashboard-chart = Chart
dashboard-count = Number of records of
dashboard-about = about
dashboard-add = Add
dashboard-add-button = Add
dashboard-add-chart = Add to the dashboard
dashboard-no-model = There is no such table. Write the database and the table with a point between them.
dashboard-full = A dashboard has at most { $count } parts. Remove one first.
dashboard-count-form = database.table
dashboard-none = There is no dashboard yet. What you add makes one.
dashboard-is-shared = This dashboard is shared: who has none of their own may see it.
dashboard-becomes-own = This dashboard is shared. What you change makes one of your own.
dashboard-is-own = Only you see this dashboard.
dashboard-empty = Nothing is on the dashboard.
dashboard-hidden = (the chart is not shared: others do not see it)
dashboard-up = Up
dashboard-down = Down
dashboard-remove = Remove
dashboard-done = Done
dashboard-forget = Delete mine, and see the shared one
dashboard-share = Share it with everybody
dashboard-unshare = Do not share it any more
pick-partly = Searching all records takes longer. Go on typing, or choose on a page of its own.

# Pages.

pages-read-only = You may read the pages, and not change them. Ask an administrator for more.
pages-empty = There are no pages yet.
pages-empty-next = Make the first one with “New page”.
pages-new = New page
pages-new-below = New below
pages-new-below-of = New below { $name }
pages-below = below { $name }
pages-page = Page
pages-actions = What can be done
pages-choose = Choose
pages-choose-one = Choose { $name }
pages-publish-chosen = Compare and publish
pages-discard-chosen = Discard drafts
pages-none-chosen = { $count ->
    [one] If none is chosen: the one page with a draft.
   *[other] If none is chosen: all { $count } pages with a draft.
}
pages-state-published = published
pages-state-changed = changed draft
pages-state-new = never published
pages-state-deleted = deleted in the draft
pages-name = Name
pages-unique-name = Unique name
pages-unique-name-hint = Pages and addresses refer to it. Made from the name if empty.
pages-view = Kind
pages-view-hint = custom, unless the application knows others.
pages-parent = Page above
pages-at-top = – none –
pages-parent-missing = { $name } (there is no such page)
pages-parent-own = A page cannot be below itself, or below a page that is below it. Choose another page, or none.
pages-order = Order
pages-order-hint = A number: pages beside each other are in this order.
pages-order-wrong = Enter a number, such as 2 or 1.5.
pages-resource = Database
pages-model = Table
pages-params = Structure (JSON)
pages-params-hint = What is not changed stays as it is stored, with every digit and the order of names.
pages-rest = Other properties
pages-rest-label = Properties (JSON object)
pages-rest-hint = A property that is removed here becomes null.
pages-rest-wrong = Enter a JSON object, such as {"{"}"zoom": 1.5{"}"}.
pages-rest-taken = { $name } cannot be set here: it has its own field, or the service sets it.
pages-json-wrong = Line { $line }, character { $column }:
pages-format = Format JSON
pages-save = Save draft
pages-saved = Saved as a draft. Everybody sees it once it is published.
pages-renamed-moved = { $count ->
    [one] One page below it was changed too, as a draft, so that it stays below it. Publish both pages together.
   *[other] { $count } pages below it were changed too, as drafts, so that they stay below it. Publish all these pages together.
}
pages-renamed-left = The page { $name } could not be changed, and is at the top now. Open it, and choose this page as the page above.
pages-document = The whole page
pages-name-missing = Enter a name.
pages-changes = Compare with published
pages-revisions = Revisions
pages-discard = Discard draft
pages-keep = Keep the page
pages-publish = Publish
pages-edit = Back to the page
pages-is-deleted = This page is deleted in the draft. It stays published until the deletion is published.
pages-published-this = Published.
pages-published = { $count ->
    [one] One page was published.
   *[other] { $count } pages were published.
}
pages-discarded = { $count ->
    [one] One draft was discarded.
   *[other] { $count } drafts were discarded.
}
pages-copied = { $count ->
    [one] One page was copied here.
   *[other] { $count } pages were copied here.
}
pages-deleted = The page was deleted.
pages-restored = Revision { $number } is now the draft.
pages-conflict-same = Somebody else has changed the same fields meanwhile. Yours are in the form, theirs are shown beside them; save again to keep yours.
pages-conflict-document = On the left what is stored now, on the right what you have entered.
pages-theirs = Stored now
pages-mine = Yours
pages-deleted-meanwhile = Somebody else has deleted this page meanwhile. What you entered is below: create it as a new page, or leave it.
pages-published-name = Published
pages-draft-name = Draft
pages-no-difference = Draft and published page have the same content.
pages-number = Number
pages-when = When
pages-who = Who
pages-what = What
pages-no-author = unknown
pages-revisions-what = Each change leaves a revision; the newest hundred are kept.
pages-revision = Revision
pages-revision-title = Revision { $number }
pages-revision-draft = draft saved
pages-revision-deleted = deleted in the draft
pages-revision-published = published
pages-revision-same = The page has the content of this revision.
pages-now = Now, with drafts
pages-restore = Restore as draft
pages-restore-what = Restoring makes this revision the draft. What is published stays as it is, and the draft of now stays as a revision.
pages-restore-changed = Somebody else has changed the page meanwhile, so nothing was restored. Compare again.
pages-delete-new = The page { $name } was never published. It is deleted for good, with its revisions.
pages-delete-published = The page { $name } is deleted in the draft. It stays published until the deletion is published.
pages-delete-below = { $count ->
    [one] One page is below it. It stays, and moves to the top.
   *[other] { $count } pages are below it. They stay, and move to the top.
}
pages-delete-changed = Somebody else has changed the page meanwhile. Look at it again before you delete it.
pages-no-drafts = No page has a draft.
pages-publish-title = Publish drafts
pages-publish-what = { $count ->
    [one] Everybody sees this change once it is published.
   *[other] Everybody sees these { $count } changes once they are published, all at once.
}
pages-publish-others = { $count ->
    [one] One other page has a draft, which stays a draft.
   *[other] { $count } other pages have drafts, which stay drafts.
}
pages-publish-count = { $count ->
    [one] Publish this page
   *[other] Publish { $count } pages
}
pages-publish-deletes = The page is deleted for good, with its revisions.
pages-publish-newer = Somebody has saved a newer draft since you looked, so nothing was published. It is marked below.
pages-publish-newer-too = Publish the newer drafts too
pages-publish-without = Leave out the newer drafts
pages-newer = newer than what you saw
pages-discard-title = Discard drafts
pages-discard-what = { $count ->
    [one] This draft is discarded:
   *[other] These { $count } drafts are discarded:
}
pages-discard-changed = goes back to what is published
pages-discard-new = was never published, and is deleted for good
pages-discard-deleted = is kept after all
pages-discard-others = { $count ->
    [one] One other draft stays.
   *[other] { $count } other drafts stay.
}
pages-discard-newer = Somebody has saved a newer draft since you looked, so nothing was discarded. It is marked below.
pages-copy = Copy to an environment
pages-copy-administrators = Only administrators copy pages to other environments.
pages-copy-what = The pages are copied with their drafts. Their revisions begin again there.
pages-copy-to = To
pages-copy-pages = Pages
pages-copy-settings = Settings of the environment
pages-copy-next = Show what happens
pages-copy-nothing = Choose what is copied.
pages-copy-nowhere = The project has no other environment. Make one first.
pages-copy-count = { $count ->
    [one] One page of { $from } is copied to { $to }.
   *[other] { $count } pages of { $from } are copied to { $to }.
}
pages-copy-replaces = { $count ->
    [one] { $to } has one page, which is deleted with its draft and its revisions.
   *[other] { $to } has { $count } pages, which are all deleted with their drafts and revisions.
}
pages-copy-with-settings = The settings of { $from } become those of { $to }.
pages-copy-replaces-settings = The settings that { $to } has are lost.
pages-copy-replace = Replace and copy
pages-copy-do = Copy

# Differences of texts.

diff-removed = removed
diff-added = added
diff-more = { $count ->
    [one] One more line is not shown.
   *[other] { $count } more lines are not shown.
}

# People: users of an environment, members, accounts.

people-name = Name
people-first-name = First name
people-last-name = Last name
people-since = Since
people-team = Team
people-only-read = Administrators of the project can change this.
people-not-a-number = Enter a whole number.
people-color = Colour
people-color-none = none
people-color-gray = gray
people-color-blue = blue
people-color-green = green
people-color-yellow = yellow
people-color-orange = orange
people-color-red = red
people-color-purple = purple
people-sessions-count = { $count ->
    [0] no open session
    [one] one open session
   *[other] { $count } open sessions
}
people-sessions-empty = There is no open session.
people-sessions-end-all = End all sessions
people-sessions-end-what = { $email } is signed out everywhere: { $count ->
    [one] one session ends
   *[other] { $count } sessions end
}. Signing in again is possible.

# Users.

users = Users
users-count = { $count ->
    [one] one user
   *[other] { $count } users
}
users-empty = No user can sign in to the application of this environment yet.
users-empty-next = Invite the first one
users-what-link = the members of the project
users-what = Users sign in to your application. Who is to work in this console is a member:
users-none-fits = No user fits.
users-all-teams = All teams
users-invite = Invite a user
users-invite-again = Send the invitation again
users-team-hint = The team decides what the user may see and change.
users-with-password = Set a password instead of sending an invitation
users-password-hint = With a password the user can sign in at once, and no mail is sent. Leave it empty to send an invitation.
users-fields = Name and team
users-may = What the team { $team } may do
users-active = active
users-without-password = no password yet
users-suspended = suspended
users-unconfirmed = address not confirmed
users-suspend = Suspend
users-resume = Let sign in again
users-see-as = See as this user
users-suspend-what = { $email } can no longer sign in until you allow it again{ $count ->
    [0] {""}
    [one] , and one session ends
   *[other] , and { $count } sessions end
}.
users-delete-what = { $email } is deleted for good{ $count ->
    [0] {""}
    [one] , and one session ends
   *[other] , and { $count } sessions end
}. Records stay as they are.
users-done-made = The user was created and can sign in to the application.
users-done-invited = The invitation is on its way.
users-done-resumed = The user can sign in again.
users-done-suspended = Signing in is no longer possible, and all sessions have ended.
users-done-signed-out = All sessions have ended.

# Teams.

teams = Teams
teams-new = New team
teams-what = A team decides what its people may see and change.
teams-begins = Rights at first
teams-otherwise = Default rights
teams-members = Add a member with this team
teams-begins-hint = Rights on single databases and tables are set next.
teams-group-administrator = administers the project
teams-group-editor = reads and changes everything
teams-group-read-only = reads everything
teams-group-nothing = nothing, until it is allowed
teams-people = People
teams-users = { $count ->
    [0] no user in this environment
    [one] one user in this environment
   *[other] { $count } users in this environment
}
teams-team = Team
teams-delete-what = The team { $name } is deleted with its rights.
teams-delete-people = { $count ->
    [one] One user of this environment is
   *[other] { $count } users of this environment are
} in the team, so it cannot be deleted. Move them to another team first.
teams-delete-members = { $count ->
    [one] One member of the project is
   *[other] { $count } members of the project are
} in the team, so it cannot be deleted. Move them to another team first.
teams-delete-tokens = { $count ->
    [one] One service token of the environment { $environment } acts for the team, so it cannot be deleted. Revoke the token first.
   *[other] { $count } service tokens of the environment { $environment } act for the team, so it cannot be deleted. Revoke the tokens first.
}
teams-delete-show = Show them
teams-delete-super = The team of the administrators stays.

# Rights.

rights = Rights
rights-may = What the team may do
rights-of = Rights of { $team }
rights-what = Table
rights-everywhere = All databases
rights-whole = All tables of { $name }
rights-default = no rule: { $rights }
rights-choice = Rights
rights-now = In effect
rights-nothing = nothing
rights-read = read
rights-write = write
rights-delete = delete
rights-read-write = read and write
rights-read-delete = read and delete
rights-write-delete = write and delete
rights-all = read, write and delete
rights-inherit = as above ({ $rights })
rights-inherited = from above
rights-pages = Rights are about tables; every member of the project sees all pages.
rights-only-here = (differs in this environment)
rights-legend = ● marks a right that is set for this table or database. The others come from above: from the database, from all databases, or from what the team may do without any rule.
rights-except = except for
rights-change = Change rights
rights-all-of-team = All rights of the team
rights-administrators = Administrators may do everything. To limit somebody, move them to another team.
rights-all-environments = Holds in all environments. For one environment alone, open “In effect”.
rights-more = { $count ->
    [one] One more table is
   *[other] { $count } more tables are
} not shown. Search for it above.
rights-no-database = No database is connected in this environment.
rights-search = Search tables
rights-show = Show
rights-sentence = In { $name }, the team { $team } may: { $rights }.
rights-own = May
rights-may-read = read: see lists and records
rights-may-write = write: create and change records
rights-may-delete = delete records
rights-none-hint = With nothing ticked, everything is forbidden.
rights-saved-here = Saved for { $environment } alone. In all other environments, the rule for all of them still holds: { $rights }.
rights-where = Applies
rights-where-all = in all environments
rights-where-here = in { $environment } only
rights-in = in { $environment }
rights-set = Set these rights
rights-ladder = Where this comes from
rights-ladder-hint = The first line decides.
rights-begins = Without any rule
rights-remove = Remove

# Integrations.

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
integrations-models-unknown = There is no such table in { $resource }: { $names }
integrations-token-usage = This gives the structure of the database. Every other request takes the same header.
integrations-service-tokens = Service tokens
integrations-service-tokens-what = A service token gives a program the rights of a team, with its rules about rows and fields, and the HTTP proxy.
integrations-service-token-usage = Send it with every request:
integrations-team = Team
integrations-team-hint = The program may do what members of this team may do.
integrations-keys = API keys
integrations-keys-what = The API keys of members that reach this project. Each acts as its account.
integrations-keys-own = Make one of your own in your profile.
integrations-keys-exclude = The key of { $email } can no longer reach this project. It still works in other projects.
integrations-secrets = Secrets
integrations-secrets-what = Keys of other services. The HTTP proxy sends them for callers who do not know them, to these hosts alone. A value is never shown again.
integrations-secrets-empty = No secret is set. Set one to call another service without giving its key to browsers.
integrations-secret-set = Set a secret
integrations-secret-hint = Requests name it with { "{-name-}" }. A secret of the same name is replaced.
integrations-secret-delete = The secret { $name } of { $resource } is deleted. Requests of the HTTP proxy that use it fail from then on.
integrations-resource = Database
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

# Credentials and secrets.

secret-once = Copy this now. It is shown this once, and nobody can look it up later.
secret-shown-before = This was made already, and its text was shown then. If it was not kept, revoke it and make another one.
credentials-name = Name
credentials-name-hint = For you: who or what uses it.
credentials-begins = Prefix
credentials-made = Created
credentials-used = Last used
credentials-never-used = never used
credentials-ends = Expires
credentials-never-ends = never
credentials-over = expired
credentials-last-day = Last day
credentials-last-day-hint = Left empty, it never ends.
credentials-last-day-wrong = Enter year, month and day, such as 2030-01-31. It must be today or later.
credentials-unnamed = without a name
credentials-revoke = Revoke
credentials-revoke-what = stops working at once. This cannot be undone: programs that still use it are refused.
credentials-was-revoked = revoked
credentials-revoked = Show revoked ones
credentials-valid = Hide revoked ones
credentials-empty = There is none yet. Create one for the program that needs it.

# Code.

snippets = Code
snippets-what = These requests give what the page shows. They need a token of { $resource } in the environment:
snippets-token = Create a token

# The audit trail.

audit-of-service = Audit of all projects
audit-when = When
audit-who = Who
audit-what = What
audit-where = Where
audit-project = Project
audit-resource = Database
audit-model = Table
audit-record = Record
audit-records = Records
audit-since = Since
audit-until = Until
audit-show = Show
audit-all = Show all
audit-hint = Since and until: a time, or a span such as 7d, 12h or 30m.
audit-empty = No line fits. Remove a filter, or look further back.
audit-request = Request
audit-status = Answered with
audit-outcome = Outcome
audit-values = Values
audit-no-values = No values were kept of this.

# The settings of a project.

settings-project = Project
settings-environments = Environments
settings-sign-in = Sign-in
settings-members = Members
settings-unique-name = In addresses:
settings-short-name = Short name
settings-short-name-hint = Small letters, digits and hyphens, such as shop. It is part of addresses and cannot be changed later.
settings-domain = Domain of the application
settings-default-environment = Default environment
settings-is-default = default
settings-delete = Delete the project
settings-delete-hint = With all environments, users, teams, pages and settings. Databases stay as they are.
settings-delete-what = { $name } is deleted for good, with { $environments ->
    [one] one environment
   *[other] { $environments } environments
}, with all users, teams, pages and settings. { $databases ->
    [0] No database is connected
    [one] One database is disconnected
   *[other] { $databases } databases are disconnected
}; databases themselves stay as they are.
settings-environments-what = Each environment has its own databases, users and pages.
settings-environment-new = New environment
settings-environment-delete = Delete the environment
settings-environment-delete-what = { $name } is deleted for good, with its users, pages and settings. { $databases ->
    [0] No database is connected to it
    [one] One database is disconnected
   *[other] { $databases } databases are disconnected
}; databases themselves stay as they are.
settings-prod-stays = The environment prod cannot be deleted.
settings-copy = Copy
settings-members-what = Members sign in to this console. The team decides what they see and change. An address without an account gets an invitation.
settings-members-add = Add
settings-members-added = { $email } is a member now. Somebody who has no password yet gets a mail with a link.
settings-members-none = No member fits.
settings-members-count = { $count ->
    [one] one member
   *[other] { $count } members
}
settings-members-remove = Remove from the project
settings-members-remove-what = { $email } can no longer open this project. The account stays.
settings-members-remove-self = This is you.
settings-registering = Registering
settings-sign-up = Users can register themselves
settings-sign-up-team = Team of who registers
settings-domains = Domains of e-mail addresses that can register
settings-domains-hint = Separated by commas, such as example.com. Without any, all can.
settings-confirm = The e-mail address must be confirmed before signing in
settings-security = Security
settings-password-length = Least length of passwords (8 to 128)
settings-access-seconds = An access token is valid for (seconds, 60 to 86400)
settings-refresh-days = A session without use ends after (days, 1 to 365)
settings-mails = Mails
settings-link = Where links in mails lead
settings-link-hint = Empty: to the pages of the service. Otherwise a URL with the code in it, such as

# The profile.

profile = Profile
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
profile-password-keys = Your API keys work as before. Revoke those that somebody else may know:
profile-password-differs = The new password was not entered the same twice. Nothing was changed.
profile-email-new = New e-mail address
profile-email-what = A code is sent to the new address. Nothing changes until you enter it here. Then all sessions end, and you sign in with the new address.
profile-email-send = Send the code
profile-email-sent = A code is on its way to the new address. Enter it below.
profile-email-code = Code from the mail
profile-email-confirm = Confirm the address
profile-email-changed = The e-mail address was changed.
sessions = Sessions
profile-sessions-what = Where you are signed in. End what you do not know, and change your password then.
profile-sessions-end = End all others
session-what = Browser or program
session-address = From
session-since = Since
session-this = This one
session-unknown = unknown
session-end = End
session-ended = The session has ended.
profile-sessions-ended = All other sessions have ended.
profile-keys = API keys
profile-keys-what = A program with an API key acts as you. It never has more rights than you.
profile-key-new = New API key
profile-key-all = all of yours, now and later
profile-key-some = only these:
profile-key-usage = This lists your projects. Every other request takes the same header.

# The service.

service-away = The service cannot be reached just now. Try again in a moment. If that does not help, tell the people who run it.
service-unanswered = The service has not answered in time. It may have done what you asked for: look before you try again.
service = Service
service-overview = Overview
service-version = Version
service-nodes = Nodes
service-node = Machine
service-since = Runs since
service-seen = Last seen
service-figures = Metrics
service-figures-of = Figures of the node
service-figures-since = kept since
service-figures-others = There are other nodes, with figures of their own; whichever answers shows its own.
service-figures-empty = Lines are drawn from { $time } on, with a point every { $seconds } seconds. Until then, these are the numbers of now.
service-figures-span = Span of time
service-figures-hours = { $count } hours
service-figures-average = Each point is { $minutes } minutes: their average, and the most connections.
service-figure-requests = Requests per second
service-figure-errors = Errors (5xx) per second
service-figure-duration = Average time of an answer (ms)
service-figure-cpu = Processor (cores)
service-figure-memory = Memory (MB)
service-figure-connections = Connections to databases
service-figure-now = now
service-figure-time = Time
service-databases = Databases
service-database = Database
service-databases-empty = No database is connected.
service-states = Look at their states
service-mails = Mails
service-mails-what = Mails that wait to be sent. Their links are not shown here.
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
service-signing-now = Invalidate those tokens now, for example after a leak. Everybody stays signed in; programs get new tokens.
service-signing-done = The key { $key } signs now.

# Finding places, and keys.

find = Find
find-hint = Name of a place, a table or a page, or a table and a key
find-recent = Open before
find-close = Close
find-records = Record
find-nothing = Nothing fits. Enter a part of a name, or the name of a table with the key of a record.
find-more = and { $count } more: enter more of the name
find-away = { $name }: no answer, so what is there is missing here.
keys = Keys
keys-close = Close what is open
keys-search = To the search
keys-cells = To the next cell
keys-row = To the first or last cell of the row
keys-ends = To the first or last cell of the table
keys-open = Open the link of the cell, or change its value
keys-edit = Change the value of the cell
keys-type = Any letter or digit but / and ?: begins a new value of the cell
keys-restore = In a cell that is being changed: leave its value as it was
keys-mark = Mark the record
keys-space = Space
keys-range = Choose several cells
keys-copy = Copy the cells
keys-run = Run the query

# Mails that no mail server has taken.
outbox-ask = If no mail arrives, the service may have no mail server: ask an operator of the service for the link.
outbox-command = The service has no mail server. This command, on the machine of the service, shows the mails with their links:
connect-url-hint = An SQLite file can be connected if it is in a folder that an operator has opened for that (sqlite-dir): sqlite:/folder/file.db

# What was hard to see.
service-figure-until = until { $time }
history-took-back = This took back the change of

# What the audit trail says.
audit-any = any
audit-any-of = all
audit-with = With
audit-of-records = Record
audit-of-imports = Import
audit-of-pages = Page
audit-of-account = Sign-in
audit-of-users = User
audit-of-members = Member
audit-of-project-teams = Team
audit-of-teams = Team (as a record)
audit-of-rights = Right
audit-of-items = Saved item
audit-of-resources = Database
audit-of-environments = Environment
audit-of-projects = Project
audit-of-accounts = Account
audit-of-functions = Function
audit-of-proxy = HTTP proxy
audit-of-secrets = Secret
audit-of-allow-hosts = Allowed host
audit-of-tokens = Token
audit-of-service-tokens = Service token
audit-of-api-keys = API key
audit-of-account-keys = Own API key
audit-of-signing-keys = Signing key
audit-did-accept-invitation = invitation accepted
audit-did-act-as = seen as by an administrator
audit-did-begin = begun
audit-did-bulk-create = several created
audit-did-call = called
audit-did-cancel = cancelled
audit-did-go-on = continued
audit-did-change-email = another address asked for
audit-did-change-email-complete = address changed
audit-did-change-password = password changed
audit-did-copy = copied
audit-did-create = created
audit-did-create-draft = draft created
audit-did-delete = deleted
audit-did-delete-all = several deleted
audit-did-delete-draft = draft deleted
audit-did-discard = draft discarded
audit-did-end-other-sessions = other sessions ended
audit-did-end-session = session ended
audit-did-exclude = excluded from the project
audit-did-invite = invited
audit-did-login = signed in
audit-did-logout = signed out
audit-did-publish = published
audit-did-register = registered
audit-did-remove = removed
audit-did-replace = replaced
audit-did-reset-password = new password asked for
audit-did-reset-password-complete = new password set
audit-did-restore = revision restored
audit-did-resume = suspension lifted
audit-did-revoke = revoked
audit-did-rotate = rotated
audit-did-send = request sent
audit-did-set = set
audit-did-sign-in-code = link to sign in made
audit-did-suspend = suspended
audit-did-update = changed
audit-did-update-all = several changed
audit-did-update-draft = draft changed
