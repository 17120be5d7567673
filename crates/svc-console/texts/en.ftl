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

# Pages.
area-pages = Pages
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
pages-format = Lay out JSON
pages-save = Save draft
pages-saved = Saved as a draft. Everybody sees it once it is published.
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
diff-removed = removed
diff-added = added
diff-more = { $count ->
    [one] One more line is not shown.
   *[other] { $count } more lines are not shown.
}
