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

# SQL, charts and the dashboard.

area-sql = SQL
area-charts = Charts

waiting-runs = It runs …
waiting-cancel = Cancel it

saved-name = Name
saved-shared = Shared: every member of the project sees it
saved-new = Save as new
saved-is-shared = shared
saved-first = The newest { $count } are shown.
saved-others = It belongs to somebody else. Its owner and administrators may delete it.
saved-delete = { $name } is deleted.
saved-delete-shared = { $name } is deleted, for everybody in the project.

sql-databases = Databases
sql-saved = Saved queries
sql-saved-empty = No query is saved yet.
sql-forbidden = Only administrators of the project may use SQL, because it sees all records.
sql-text = Query
sql-hint = One SELECT, which only reads. Ctrl-Enter runs it. A value is written :name and has its own field after the first run.
sql-parameters = Values
sql-type-of = Type of { $name }
sql-type-text = text
sql-type-number = number
sql-type-boolean = true or false
sql-type-null = NULL
sql-ask = The query has values: fill them in, and run it again.
sql-run = Run
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
sql-empty = The query has no rows.
sql-csv = As CSV
sql-place = In the text: line { $line }, column { $column }.
sql-cancelled = It was cancelled.
sql-from-elsewhere = Another site has led here, so nothing was run. Look at what it is before you run it.
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
chart-others = { $count } others
chart-first = Only the first { $count } were read.
chart-needs-field = Choose a field: only a number of records can be counted without one.
chart-title = { $number } ({ $model })
chart-title-by = { $number } by { $field } ({ $model })
chart-function = What
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
chart-unit = Dates by
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
charts-empty = No chart is saved yet. Choose a table below.
charts-new = New chart
charts-find = Find a table
charts-more-models = { $count ->
    [one] One more table: type a part of its name.
   *[other] { $count } more tables: type a part of the name.
}
charts-from-sql = The result of a query in SQL has a chart too.

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
dashboard-no-model = There is no such table. Write the database and the table, such as shop.orders.
dashboard-full = A dashboard has at most { $count } parts. Remove one first.
dashboard-none = There is no dashboard yet. What you add makes one.
dashboard-is-shared = Everybody in the project sees this dashboard.
dashboard-becomes-own = Everybody in the project sees this dashboard. What you change makes one of your own.
dashboard-is-own = Only you see this dashboard.
dashboard-empty = Nothing is on the dashboard.
dashboard-hidden = (the chart is not shared: others do not see it)
dashboard-up = Up
dashboard-down = Down
dashboard-remove = Remove
dashboard-done = Done
dashboard-forget = Delete mine, and see the shared one
dashboard-share = Share it with everybody
