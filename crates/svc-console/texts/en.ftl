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
lookup-isnull = is NULL
lookup-isempty = is empty
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

# Records in depth.
problem-forbidden = You may not do this. Ask an administrator of the project for the right.
choose = Choose
choose-one = Choose record { $key }
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
    [one] one record is deleted for good.
   *[other] { $count } records are deleted for good.
}
bulk-delete-run = { $count ->
    [one] Delete one record
   *[other] Delete { $count } records
}
bulk-references = Records elsewhere may refer to these:
bulk-references-shown = ({ $count } of them refer to the records shown here)
bulk-rule-cascade = those that do are deleted along.
bulk-rule-set-null = those that do refer to nothing then.
bulk-rule-restrict = those that do forbid it, and nothing is deleted.
bulk-other-number = Another number of records fits by now than the preview has said. Nothing was changed; look at the new preview.
bulk-changed = { $count ->
    [one] One record was changed.
   *[other] { $count } records were changed.
}
bulk-deleted = { $count ->
    [one] One record was deleted.
   *[other] { $count } records were deleted.
}
export = Export
export-what = All records of this list, on all pages.
export-csv-shown = CSV, the columns shown
export-csv-all = CSV, all columns
export-ndjson-shown = Lines of JSON, the columns shown
export-ndjson-all = Lines of JSON, all columns
import = Import
columns-gone = These columns are not there any more, so they were left out: { $names }
columns-remember = Show these at first from now on
columns-forget = Forget the columns that I chose
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
filters-shown = Only records for which
filters-search = any field contains
filters-other = a tree of conditions holds
filters-either = and either
filters-or = or
filters-none = Show all
filter-edit = Change this filter
filter-change = Change filter
filter-from = From
filter-to = To
filter-lines = Values, one on each line
filter-group = Holds
filter-group-all = always, besides all others
filter-group-one = in alternative { $number }
filter-group-new = in another alternative
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
import-no-head = The file has no line with the names of its columns.
import-mapping = What the columns become
import-column = Column
import-values = First values
import-becomes = Becomes the field
import-becomes-of = Field for { $column }
import-leave-out = — left out —
import-empty = An empty cell is NULL where the field allows it, else the empty text.
import-on-conflict = Change records that have the same values in
import-on-conflict-hint = Unique fields, separated by commas. Empty: each row becomes a new record.
import-run = Import
import-try = Try, and keep nothing
import-progress = How much of the file was read
import-running = The import runs.
import-tried = Tried; nothing was kept.
import-done = Imported.
import-cancelled = The import was ended.
import-failed = The import cannot go on.
import-did = { $read } rows read: { $made } new records, { $updated } changed, { $refused } refused.
import-would = { $read } rows read: { $made } would be new records, { $updated } changed, { $refused } refused.
import-refused = Refused rows
import-refused-file = All refused rows as a file
import-row = Row
import-content = Content
import-cancel = End the import
import-resume = Go on
import-another = Import another file
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
cell-open = Whole record
cell-only = Only this value
cell-not = Not this value
cell-same = Lists by the values of this record
pick-partly = Searching all records takes longer. Go on typing, or choose on a page of its own.
bulk-other-values = The values are not those of the preview. Nothing was changed; look at the new preview.
