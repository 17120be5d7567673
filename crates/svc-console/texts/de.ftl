# Die Texte der Konsole auf Deutsch.

# What is around every page.

skip = Zum Inhalt
areas = Teile der Umgebung
area-data = Daten
area-users = Benutzer
area-settings = Einstellungen
area-pages = Seiten
area-sql = SQL
area-charts = Diagramme
area-integrations = Integrationen
area-audit = Protokoll
crumbs = Wo Sie sind
environment = Umgebung
production = Produktion
request-id = Anfrage:
sign-out = Abmelden
seen-as = Sie sehen, was dieser Benutzer sieht:
seen-as-only = Hier kann nichts geändert werden.
seen-as-end = Zurück zur eigenen Ansicht

# Words of many places.

confirm-name = Zur Bestätigung { $name } eingeben
confirm-name-wrong = Zur Bestätigung { $name } eingeben. Es wurde nichts getan.
yes = ja
no = nein
empty = leer
bytes = { $count ->
    [one] { $count } Byte
   *[other] { $count } Byte
}
email = E-Mail-Adresse
password = Passwort
go-on = Weiter
search = Suchen
pages = Seiten
previous = Zurück
next = Weiter
shown = { $count ->
    [one] ein Datensatz gezeigt
   *[other] { $count } Datensätze gezeigt
}
sorted-up = Aufsteigend nach { $name } sortiert.
sorted-down = Absteigend nach { $name } sortiert.
required = Pflichtfeld
save = Speichern
create = Anlegen
cancel = Abbrechen
saved = Gespeichert.
unchanged = Nichts wurde geändert, deshalb wurde nichts gespeichert.
choose = Auswählen
choose-one = Datensatz { $key } auswählen
copy-text = Kopieren
copy-done = Kopiert
language-name = Deutsch

# Signing in.

sign-in = Anmelden
sign-in-wrong = Die E-Mail-Adresse oder das Passwort ist falsch.
sign-in-ended = Ihre Sitzung ist zu Ende. Melden Sie sich an, um weiterzumachen; nichts von Ihren Eingaben ist verloren.
sign-in-again-title = Sie sind wieder angemeldet
sign-in-again = Ihre Eingaben wurden noch nicht gesendet.
forgotten = Passwort vergessen
forgotten-what = Wir senden eine E-Mail mit einem Link. Er gilt eine Stunde und setzt ein neues Passwort.
forgotten-send = E-Mail senden
forgotten-sent = Wenn es ein Konto mit dieser Adresse gibt, ist die E-Mail unterwegs.
enter = Willkommen
enter-what = Mit diesem Link melden Sie sich einmal an.
enter-invalid = Dieser Link wurde schon benutzt oder ist zu alt. Bitten Sie um einen neuen, oder melden Sie sich mit Ihrem Passwort an.
first-run = Das erste Konto
first-run-what = Noch betreibt niemand diesen Dienst. Dieses Konto darf alles.
first-run-make = Konto anlegen
first-run-late = Diesen Dienst betreibt schon jemand, oder der Link ist nicht vollständig.

# What went wrong.

problem-title = Das hat nicht geklappt
problem-home = Zu den Projekten
problem-environment = Zur Umgebung
problem-not-found = Unter dieser Adresse ist nichts. Vielleicht wurde es gelöscht, oder Sie dürfen es nicht sehen.
problem-method = Diese Adresse kann nur geöffnet werden oder ein Formular bekommen.
problem-not-utf8 = Die Adresse oder das Formular hat Zeichen, die nicht gelesen werden können.
problem-not-a-form = Was gesendet wurde, ist kein Formular.
problem-no-action = Das Formular sagt nicht, was geschehen soll. Öffnen Sie die Seite noch einmal, und benutzen Sie eine ihrer Schaltflächen.
problem-too-large = Was gesendet wurde, ist zu groß. Senden Sie weniger auf einmal.
problem-too-large-to-keep = Ihre Sitzung ist zu Ende, und was Sie gesendet haben, ist zu groß, um es aufzuheben. Melden Sie sich in einem anderen Tab an, gehen Sie hier zurück und senden Sie es noch einmal.
problem-foreign = Das Formular kam von einer anderen Website, deshalb wurde nichts getan. Öffnen Sie die Seite hier und senden Sie es noch einmal.
problem-stale-form = Das Formular gehört nicht zu dieser Sitzung, oder der Browser hat nicht gesagt, woher es kommt; deshalb wurde nichts getan. Wenn Sie es selbst ausgefüllt haben, senden Sie es noch einmal. Passwörter müssen noch einmal eingegeben werden.
entered = Was eingegeben war
problem-other-account = Inzwischen hat sich jemand anderes angemeldet, deshalb wurde nichts getan. Melden Sie sich als die Person an, die das Formular geöffnet hat; dann wird es noch einmal gesendet.
problem-unavailable = Der Dienst kann gerade nicht nach Ihrer Sitzung gefragt werden. Versuchen Sie es gleich noch einmal. Wenn das nicht hilft, sagen Sie es denen, die ihn betreiben.
problem-again = Noch einmal versuchen
problem-not-administrator = Das können nur Administratoren des Projekts. Wenden Sie sich an einen von ihnen.
problem-not-operator = Das können nur Betreiber des Dienstes.
problem-only-seeing = Sie sehen, was jemand anderes sieht. Hier kann nichts geändert werden. Gehen Sie zuerst zurück zu Ihrer eigenen Ansicht.
problem-suspended = Dieser Benutzer ist gesperrt und kann sich nirgends anmelden. Deshalb gibt es nichts, was er sieht. Erlauben Sie ihm zuerst wieder, sich anzumelden.
problem-forbidden = Das dürfen Sie nicht. Bitten Sie einen Administrator des Projekts um das Recht.

# Projects and accounts.

projects = Projekte
projects-empty = Sie sind noch in keinem Projekt Mitglied. Bitten Sie einen Administrator, Sie hinzuzufügen.
projects-resources = { $count ->
    [0] keine Datenbank
    [one] eine Datenbank
   *[other] { $count } Datenbanken
}
projects-new = Neues Projekt
projects-owner = E-Mail-Adresse des Eigentümers
projects-owner-hint = Der erste Administrator; Sie selbst, wenn es leer ist. Eine Adresse ohne Konto bekommt eine Einladung.
accounts = Konten
accounts-count = { $count ->
    [one] ein Konto
   *[other] { $count } Konten
}
accounts-invite = Jemanden einladen
accounts-invite-hint = Eine E-Mail mit einer Einladung wird gesendet. Betreiber sehen und verwalten alles, andere die Projekte, in denen sie Mitglied sind.
accounts-operator = Betreiber
accounts-is-operator = Betreibt den Dienst
accounts-operator-hint = Es gibt immer einen Betreiber, der sich anmelden kann: der letzte kann weder entfernt noch gesperrt werden.
accounts-self = Das ist Ihr eigenes Konto.
accounts-suspend-what = Niemand kann sich als { $email } anmelden, bis Sie es wieder erlauben. Alle Sitzungen enden, und API-Schlüssel gelten nicht mehr.
accounts-delete-what = Das Konto { $email } wird endgültig gelöscht, mit Sitzungen und API-Schlüsseln, und aus allen Projekten entfernt.

# Databases and their models.

resources-empty = Noch ist keine Datenbank verbunden.
resource-name = Name
resource-name-hint = Der Name in Adressen, zum Beispiel shop. Er kann später nicht geändert werden.
models-empty = Diese Datenbank hat keine Tabellen.
models-none = Ihr Team darf hier keine Tabelle lesen. Fragen Sie einen Administrator des Projekts.
models-not-found = Keine Tabelle hat dies in ihrem Namen.
models = Tabellen und Sichten
view = Sicht
structure = Struktur
structure-index = Index
structure-default = Vorgabe
structure-now = die Zeit der Änderung
structure-numbered = die nächste Zahl
structure-computed = berechnet
structure-referred = Darauf verweisen
structure-without-key = ohne Schlüssel: das erste Feld steht dafür
fields-count = { $count ->
    [one] ein Feld
   *[other] { $count } Felder
}
connect = Datenbank verbinden
connect-save = Verbinden
connect-test = Testen
connect-port-wrong = Geben Sie eine Zahl von 1 bis 65535 ein.
path = Datei
path-hint = Auf dem Rechner des Dienstes.
host = Host
port = Port
database = Datenbank
database-user = Benutzer
tls-choose = Wählen Sie die Verschlüsselung
tls-if-offered = wenn der Server es anbietet
tls-never = nie
tls-always = immer, wer auch der Server ist
tls-verified = immer, mit geprüftem Zertifikat
connection = Verbindung ändern
connection-hint = Das Passwort und was in der Adresse hinter einem Fragezeichen steht, werden nie gezeigt. Geben Sie sie wieder ein: die ganze Adresse wird ersetzt. Token und alles andere bleiben.
connection-changed = Jemand anderes hat die Verbindung inzwischen geändert. Noch einmal speichern ersetzt das.
keep-unchecked = Behalten, obwohl die Datenbank nicht erreichbar ist
test-passed = Verbunden: { $engine } { $version }, { $models ->
    [one] eine Tabelle oder Sicht
   *[other] { $models } Tabellen und Sichten
}, gelesen in { $milliseconds } ms. Nichts wurde gespeichert.
state = Zustand
state-up = verbunden
state-down = nicht erreichbar
state-connecting = wird verbunden
reason = Grund
engine = Datenbanksystem
address = Adresse
pool = Verbindungen
pool-use = { $used } von { $size } in Gebrauch, { $waiting } warten
open-records = Öffnen
reload = Struktur neu lesen
reloaded = Die Struktur wurde neu gelesen.
disconnect = Trennen
disconnect-what = { $name } wird getrennt, mit seinen Token und Geheimnissen. Die Datenbank selbst bleibt, wie sie ist.
diagram = Diagramm
diagram-model = Tabelle oder Sicht
diagram-steps = Mit denen
diagram-step-1 = einen Schritt entfernt
diagram-step-2 = bis zu zwei Schritte entfernt
diagram-show = Zeigen
diagram-all = Alle
diagram-about = { $models ->
    [one] Ein Kasten
   *[other] { $models } Kästen
} für Tabellen und { $references ->
    [one] ein Pfeil
   *[other] { $references } Pfeile
} für Verweise. Die Tabelle darunter enthält dasselbe.
diagram-legend = Ein Pfeil führt von einem Feld zu der Tabelle, auf die es verweist. Der Schlüssel ist unterstrichen.
diagram-more = { $count ->
    [one] eine weitere
   *[other] { $count } weitere
}
diagram-key = Schlüssel
diagram-type = Typ
diagram-refers = Verweist auf
diagram-references = Verweise
diagram-around = Nachbarn
diagram-empty = Keine Tabelle verweist auf eine andere. Verweise erscheinen hier, wenn die Datenbank Fremdschlüssel festlegt.
diagram-unrelated = Ohne Beziehungen
diagram-large = Mehr als { $most } Tabellen haben Beziehungen, zu viele für ein Bild. Wählen Sie eine aus, um sie mit denen um sie herum zu sehen.
diagram-most-related = Mit den meisten Beziehungen
diagram-related = { $count ->
    [one] eine Beziehung
   *[other] { $count } Beziehungen
}
diagram-left-out = Nicht gezeichnet
diagram-left-out-what = { $drawn ->
    [one] Eine Tabelle ist
   *[other] { $drawn } Tabellen sind
} gezeichnet. { $count ->
    [one] Eine weitere ist
   *[other] { $count } weitere sind
} innerhalb dieser Schritte.
diagram-found = Mit diesem Text im Namen
diagram-none = Keine Tabelle hat diesen Text im Namen.
diagram-fields = Felder von { $model }

# Records as a table.

field = Feld
lookup = Vergleich
lookup-exact = ist
lookup-ne = ist nicht
lookup-icontains = enthält
lookup-istartswith = beginnt mit
lookup-iendswith = endet mit
lookup-gt = ist größer als
lookup-gte = ist mindestens
lookup-lt = ist kleiner als
lookup-lte = ist höchstens
lookup-in = ist eines von
lookup-range = liegt zwischen
lookup-isnull = ist NULL
lookup-isempty = ist leer
lookup-not-icontains = enthält nicht
lookup-contains = enthält (Groß- und Kleinschreibung zählt)
lookup-regex = passt zum regulären Ausdruck
lookup-not-in = ist keines von
lookup-not-range = ist nicht zwischen
lookup-not-isnull = ist nicht NULL
lookup-not-isempty = ist nicht leer
lookup-json-icontains = enthält, als Text
lookup-not-json-icontains = enthält nicht, als Text
lookup-coveredby = liegt in
lookup-contains-any = hat eines von
lookup-contains-all = hat alle von
lookup-contained-by = hat nichts außer
lookup-len = hat so viele Elemente:
lookup-len-gte = hat mindestens so viele Elemente:
lookup-len-lte = hat höchstens so viele Elemente:
value = Wert
not = nicht
filters = Filter
filter-add = Filter
filter-apply = Filter hinzufügen
filter-remove = Filter entfernen
filters-shown = Nur Datensätze, bei denen gilt:
filters-search = ein Feld enthält
filters-other = ein Baum von Bedingungen
filters-either-alone = entweder
filters-either = und entweder
filters-or = oder
filters-none = Alle anzeigen
filters-wrong = Es werden keine Datensätze gezeigt, bis dieser Filter geändert oder entfernt ist.
filter-not-null = und ist nicht NULL
filter-edit = Diesen Filter ändern
filter-change = Filter ändern
filter-from = Von
filter-to = Bis
filter-lines = Werte, einer in jeder Zeile
filter-group = Gilt
filter-group-all = immer, zusammen mit allen anderen
filter-group-one = in Möglichkeit { $number }
filter-group-first = als Alternative zu allen anderen
filter-group-new = in einer weiteren Möglichkeit
columns = Spalten
columns-apply = Diese zeigen
filters-gone = Diese Filter betreffen Spalten, die es nicht mehr gibt. Sie wurden weggelassen, und es sind vielleicht mehr Datensätze zu sehen: { $names }
columns-gone = Diese Spalten gibt es nicht mehr, sie wurden ausgelassen: { $names }
columns-remember = Diese Spalten immer zuerst anzeigen
columns-forget = Meine Auswahl der Spalten vergessen
columns-find = Spalte suchen
columns-width-of = Breite von { $name }
columns-left = { $name } nach links rücken
columns-right = { $name } nach rechts rücken
columns-pin = Fest
columns-pin-of = Fest: { $name }
columns-pin-hint = Feste Spalten, höchstens drei, stehen vorn und bleiben sichtbar, wenn die Tabelle zur Seite gerollt wird. Auf einem schmalen Bildschirm bleibt nur die erste.
columns-unpinned = Nur drei Spalten können fest sein, die übrigen sind es nicht.
records-empty = Kein Datensatz passt.
record-gone = Diesen Datensatz gibt es nicht mehr: Er wurde gelöscht, oder sein Schlüssel wurde geändert. Was Sie eingegeben haben, steht noch im Formular.
record-new = Neuer Datensatz
count-exact = { $count ->
    [one] ein Datensatz
   *[other] { $count } Datensätze
}
count-about = etwa { $count } Datensätze
count-all = Alle zählen
count-exactly = Genau zählen
count-unknown = Die Datensätze wurden nicht gezählt.
too-long-bytes = { $count } Bytes: zu lang, um hier geändert zu werden. Es bleibt, wie es ist.
too-long = { $count } Zeichen: zu lang, um hier geändert zu werden. Es bleibt, wie es ist.
width-automatic = automatisch
width-narrow = schmal
width-medium = mittel
width-wide = breit
width-widest = sehr breit
slow-reads-count = Für diese Liste liest die Datenbank die ganze Tabelle, etwa { $count } Datensätze, denn kein Index hilft.
slow-reads = Für diese Liste liest die Datenbank die ganze Tabelle, die groß ist, denn kein Index hilft.
slow-index = Schnell wird sie, wenn die Tabelle einen Index über diese Spalten bekommt: { $names }.
slow-narrow = Solche Vergleiche können keinen Index benutzen. Schnell wird sie mit einem weiteren Filter nach einer Spalte, die einen hat: { $names }.
list-load = Liste laden
away-database = Die Datenbank antwortet seit { $time } nicht. Was gezeigt wird, wurde vorher gelesen; es kann wieder geändert werden, wenn die Datenbank zurück ist.
away-service = Der Dienst antwortet nicht. Was gezeigt wird, wurde vorher gelesen.
list-again = Die Liste konnte nicht gezeigt werden. Laden Sie die Seite noch einmal.

# Saved views.

views = Ansichten
view-all = Alle
view-shared = geteilt
view-changed = geändert
view-edit = Ansicht ändern
view-save = Als Ansicht speichern
view-name = Name der Ansicht
view-share = Alle Mitglieder des Projekts sehen sie
view-replace = Behalten, was die Liste jetzt zeigt: Spalten, Filter und Reihenfolge
view-delete-what = Die Ansicht { $name } wird gelöscht. Die Datensätze bleiben.
view-delete-shared = Die Ansicht { $name } wird für alle Mitglieder des Projekts gelöscht. Die Datensätze bleiben.

# Cells, values, and records that are chosen by name.

value-open = Ansehen, speichern oder ersetzen
value-save = Als Datei speichern
value-back = Zurück zum Datensatz
value-replace = Durch eine Datei ersetzen
value-replace-run = Ersetzen
value-null = Auf NULL setzen
value-beginning = die ersten { $count } Byte
value-changed = Inzwischen hat jemand den Datensatz geändert, deshalb wurde nichts ersetzt. Sehen Sie ihn sich noch einmal an.
pick = Wählen …
pick-search = Name oder Schlüssel in { $model }
pick-found = Gefundene Datensätze
pick-back = Zurück, ohne zu wählen
pick-make = Neuer Datensatz in { $model }
pick-made = Anlegen und wählen
pick-is-made = { $name } wurde angelegt und ist gewählt. Speichern Sie, damit es so bleibt.
pick-is-made-only = { $name } wurde angelegt. Wählen Sie den Datensatz über seinen Namen.
cell-open = Ganzer Datensatz
cell-only = Nur dieser Wert
cell-not = Nicht dieser Wert
cell-same = Datensätze mit denselben Werten
cell-lost = Der Dienst ist nicht erreichbar, deshalb wurde nichts gespeichert. Was Sie eingegeben haben, bleibt hier; speichern Sie es, sobald die Verbindung wieder da ist.
cell-unsaved = Dieser Wert ist nicht gespeichert. Speichern Sie ihn oder brechen Sie zuerst ab.

# One record.

by-database = Setzt die Datenbank.
unread = Kann jetzt nicht gelesen werden und bleibt, wie es ist.
why-view = Das ist eine Sicht, deren Datensätze nicht geändert werden können.
why-rights = Sie dürfen Datensätze dieser Tabelle nicht ändern.
key-no-address = Ein Datensatz mit diesem Schlüssel hat keine Adresse und lässt sich daher hier nicht öffnen.
why-database = Diesen Wert setzt die Datenbank, deshalb kann er nicht geändert werden.
why-key = Diese Tabelle hat keinen Primärschlüssel: Ein Datensatz wird über { $field } gefunden. Wo das leer ist oder mehrere Datensätze dasselbe haben, kann er nicht geändert werden.
binary-hint = Hexadezimale Ziffern, zwei für jedes Byte. Später kann eine Datei sie ersetzen.
refers-to = Verweist auf { $model }.
refers-open = Verweist auf { $model } { $key }
related = Datensätze, die hierauf verweisen
state-value = Wert
state-default = Standardwert
back-to-list = Zurück zur Liste
fields-wrong = Einige Felder stimmen nicht. Nichts wurde gespeichert.
fields-conflict = Jemand anderes hat inzwischen dieselben Felder geändert. Nichts wurde gespeichert. Ihre Eingaben stehen im Formular, darunter steht, was jetzt in den Feldern ist. Speichern Sie noch einmal, um Ihre zu behalten.
fields-now = Jetzt ist es:
conflict-apart = Jemand anderes hat inzwischen andere Felder geändert. Diese Änderungen stehen unten, zusammen mit Ihren; speichern Sie noch einmal, um beide zu behalten.
conflict-same = Jemand anderes hat inzwischen dieselben Felder geändert. Nichts wurde gespeichert. Wählen Sie unten, welcher Wert bleibt, und speichern Sie dann noch einmal.
conflict-base = Vor beiden Änderungen:
conflict-theirs = Jetzt in der Datenbank:
conflict-mine = In diesem Formular:
conflict-keep = Meinen behalten
conflict-take = Den anderen nehmen
delete = Löschen
delete-what = Der Datensatz { $key } von { $model } wird gelöscht.
delete-forbidden = Der Datensatz { $key } von { $model } kann nicht gelöscht werden, solange andere auf ihn verweisen:
delete-changed = Jemand anderes hat den Datensatz inzwischen geändert. Sehen Sie ihn noch einmal an, bevor Sie ihn löschen.
references-count = { $count ->
    [one] ein Datensatz verweist darauf
   *[other] { $count } Datensätze verweisen darauf
}
references-hidden = Datensätze, die Sie nicht sehen dürfen
rule-cascade = wird mit gelöscht
rule-set-null = der Verweis wird leer
rule-restrict = zuerst zu löschen oder zu ändern

# Many records at once.

bulk-with = Viele Datensätze:
bulk-only = die ausgewählten
bulk-all = alle dieser Liste, auf allen Seiten
bulk-except = alle dieser Liste außer den ausgewählten
bulk-change = Ändern
bulk-delete = Löschen
bulk-which-all = Alle Datensätze der Liste:
bulk-which-only = { $count ->
    [one] Der ausgewählte Datensatz:
   *[other] Die { $count } ausgewählten Datensätze:
}
bulk-which-except = { $count ->
    [one] Alle Datensätze der Liste außer einem:
   *[other] Alle Datensätze der Liste außer { $count }:
}
bulk-none = Kein Datensatz ist ausgewählt. Kreuzen Sie in der Liste welche an, oder wählen Sie alle.
bulk-too-many = Zu viele Datensätze sind einzeln ausgewählt, für einen Schlüssel aus mehreren Feldern. Wählen Sie weniger, oder filtern Sie die Liste.
bulk-fields = Was geändert wird
bulk-keep = wie es ist
bulk-no-change = Wählen Sie ein Feld, und was daraus wird.
bulk-preview = Vorschau
bulk-preview-again = Neue Vorschau
bulk-some = Einige der Datensätze
bulk-record = Datensatz
bulk-leave-out = Auslassen
bulk-leave-out-one = Datensatz { $key } auslassen
bulk-leave-out-marked = Angekreuzte auslassen
bulk-left-out = Datensatz { $key } wird ausgelassen
bulk-becomes = wird zu
bulk-change-run = { $count ->
    [one] Einen Datensatz ändern
   *[other] { $count } Datensätze ändern
}
bulk-delete-what = { $count ->
    [0] kein Datensatz.
    [one] ein Datensatz wird gelöscht.
   *[other] { $count } Datensätze werden gelöscht.
}
bulk-delete-run = { $count ->
    [one] Einen Datensatz löschen
   *[other] { $count } Datensätze löschen
}
bulk-references = Datensätze anderer Tabellen, die auf diese verweisen:
bulk-references-all = { $count ->
    [one] ({ $count } Datensatz)
   *[other] ({ $count } Datensätze)
}
bulk-references-shown = ({ $count } von denen, die auf die { $seen } gezeigten Datensätze verweisen; die anderen wurden nicht angesehen)
bulk-rule-cascade = werden mitgelöscht
bulk-rule-set-null = bleiben und verweisen dann auf nichts
bulk-rule-restrict = verhindern es: nichts wird gelöscht, solange sie auf einen davon verweisen
bulk-other-number = Die Anzahl der passenden Datensätze hat sich seit der Vorschau geändert. Nichts wurde geändert; prüfen Sie die neue Vorschau.
bulk-changed = { $count ->
    [one] Ein Datensatz wurde geändert.
   *[other] { $count } Datensätze wurden geändert.
}
bulk-deleted = { $count ->
    [one] Ein Datensatz wurde gelöscht.
   *[other] { $count } Datensätze wurden gelöscht.
}
bulk-undone = { $count ->
    [one] Ein Datensatz ist wieder, wie er war.
   *[other] { $count } Datensätze sind wieder, wie sie waren.
}
bulk-undo-title = Änderung vieler Datensätze rückgängig machen
bulk-undo-what = Jeder Datensatz bekommt die alten Werte zurück, wenn er noch die neuen hat. Gelöschte Datensätze werden wieder angelegt, aber nicht, was mit ihnen gelöscht wurde.
bulk-undo-can = { $count ->
    [one] Ein Datensatz lässt sich zurücksetzen.
   *[other] { $count } Datensätze lassen sich zurücksetzen.
}
bulk-undo-unchanged = { $count ->
    [one] Ein Datensatz hatte die neuen Werte schon vorher.
   *[other] { $count } Datensätze hatten die neuen Werte schon vorher.
}
bulk-undo-cannot = { $count ->
    [one] Ein Datensatz lässt sich nicht zurücksetzen
   *[other] { $count } Datensätze lassen sich nicht zurücksetzen
}
bulk-undo-more = … und weitere.
bulk-undo-nothing = Das lässt sich nicht rückgängig machen.
bulk-undo-left = { $count ->
    [one] Ein Datensatz, der zuvor erreicht wurde, ist nicht, wie er war.
   *[other] { $count } Datensätze, die zuvor erreicht wurden, sind nicht, wie sie waren.
}
bulk-undo-changed = { $count ->
    [one] Ein Datensatz wurde seitdem geändert oder gelöscht und bleibt, wie er ist
   *[other] { $count } Datensätze wurden seitdem geändert oder gelöscht und bleiben, wie sie sind
}
bulk-undo-refused = { $count ->
    [one] Ein Datensatz ist nicht, wie er war
   *[other] { $count } Datensätze sind nicht, wie sie waren
}
bulk-undo-stopped = Noch wurden nicht alle Datensätze erreicht.
bulk-undo-go-on = Weiter
bulk-other-values = Die Werte oder die ausgelassenen Datensätze sind nicht die der Vorschau. Nichts wurde geändert; sehen Sie sich die neue Vorschau an.

# Export and import.

export = Exportieren
export-what = Alle Datensätze dieser Liste, auf allen Seiten.
export-csv-shown = CSV, die gezeigten Spalten
export-csv-all = CSV, alle Spalten
export-ndjson-shown = JSON-Zeilen, die gezeigten Spalten
export-ndjson-all = JSON-Zeilen, alle Spalten
import = Importieren
import-what = Aus einer CSV-Datei werden Datensätze: ihre erste Zeile hat die Namen der Spalten. Nichts wird gespeichert, bevor Sie gesehen haben, was aus den Spalten wird.
import-file = Datei
import-file-again = Noch einmal die Datei: sie ist zu groß, um zwischen zwei Seiten aufbewahrt zu werden
import-delimiter = Die Spalten sind getrennt durch
import-delimiter-guess = was nach der Datei aussieht
import-delimiter-comma = Komma
import-delimiter-semicolon = Semikolon
import-delimiter-tab = Tabulator
import-read = Spalten lesen
import-no-file = Wählen Sie eine Datei.
import-no-step = Das Formular hat nicht gesagt, was mit der Datei geschehen soll; es ist nichts geschehen. Wählen Sie eine Schaltfläche.
import-no-head = Die Datei hat keine Zeile mit den Namen ihrer Spalten.
import-mapping = Was aus den Spalten wird
import-column = Spalte
import-values = Erste Werte
import-becomes = Wird zum Feld
import-becomes-of = Feld für { $column }
import-leave-out = — ausgelassen —
import-empty = Wie üblich ist "" der leere Text, wo das Feld ein Text ist, und eine Zelle ohne Inhalt NULL, wo das Feld es erlaubt, sonst der leere Text. Eine Auswahl gilt für beide.
import-empty-cells = Leere Zellen werden
import-empty-of = Was leere Zellen von { $column } werden
import-empty-usual = wie üblich
import-empty-null = NULL
import-empty-text = der leere Text
import-empty-default = der Vorgabewert des Feldes
import-on-conflict = Datensätze ändern mit denselben Werten in
import-on-conflict-hint = Eindeutige Felder, durch Kommas getrennt. Leer: jede Zeile wird ein neuer Datensatz.
import-run = Importieren
import-try = Testen, ohne zu speichern
import-progress = Wie viel der Datei gelesen ist
import-running = Der Import läuft.
import-tried = Getestet; nichts wurde gespeichert.
import-done = Importiert.
import-cancelled = Der Import wurde beendet.
import-failed = Der Import kann nicht weitergehen.
import-did = { $read ->
    [one] Eine Zeile
   *[other] { $read } Zeilen
} gelesen: { $made } angelegt, { $updated } geändert, { $refused } abgelehnt.
import-would = { $read ->
    [one] Eine Zeile
   *[other] { $read } Zeilen
} gelesen: { $made } neu anzulegen, { $updated } geändert, { $refused } abgelehnt.
import-refused = Abgelehnte Zeilen
import-refused-file = Alle abgelehnten Zeilen als Datei
import-row = Zeile
import-content = Inhalt
import-cancel = Import beenden
import-resume = Weitermachen
import-another = Eine weitere Datei importieren
import-too-many-columns = Eine Datei darf 2.000 Spalten haben, und deren Namen dürfen zusammen nicht länger als zwei Megabyte sein. Senden Sie eine Datei mit weniger Spalten.

# History and undo.

history = Verlauf
history-of-deleted = Verlauf von { $key }
history-deleted = Dieser Datensatz ist gelöscht. Machen Sie das Löschen unten rückgängig, um ihn wiederherzustellen.
history-empty = Nichts hat diesen Datensatz über den Dienst geändert, oder sein Verlauf wurde entfernt.
history-created = Angelegt
history-changed = Geändert
history-removed = Gelöscht
history-before = Vorher
history-after = Nachher
history-cut = { $count ->
    [one] insgesamt ein Byte
   *[other] insgesamt { $count } Byte
}
history-newest = Neueste
history-older = Ältere
history-unknown = Der Dienst endete, bevor er wusste, ob das geschehen ist.
history-without-values = Die Werte wurden nicht aufbewahrt.
history-nothing = Kein Wert wurde geändert.
actor-account = Konto
actor-user = Benutzer
actor-api-key = API-Schlüssel
actor-static-token = Token
actor-service-token = Service-Token
actor-anonymous = niemand, der angemeldet war
actor-program = Kommandozeile
undo = Rückgängig machen
undo-too-long = Zu lang, um rückgängig gemacht zu werden
undo-other-key = Nicht rückgängig zu machen: Die Datenbank gäbe dem Datensatz einen anderen Schlüssel
undo-not-kept = Die früheren Werte wurden nicht aufbewahrt.
undo-not-allowed = Sie dürfen die früheren Werte nicht schreiben.
undo-otherwise = Die Datenbank hat aus den früheren Werten etwas anderes gemacht.
undone-except = { $count ->
    [one] Ein Datensatz hat wieder seine früheren Werte, aber diesen Feldern gab die Datenbank selbst Werte: { $fields }
   *[other] { $count } Datensätze haben wieder ihre früheren Werte, aber diesen Feldern gab die Datenbank selbst Werte: { $fields }
}
undo-conflict = Der Datensatz wurde inzwischen wieder geändert, deshalb wurde nichts geschrieben. Die alten Werte stehen im Formular; was die Felder jetzt haben, steht darunter. Speichern Sie, um die alten Werte zurückzuholen.
undone = Die Änderung wurde rückgängig gemacht.
deleted = Der Datensatz { $key } wurde gelöscht.

# What runs, and what was saved.

waiting-runs = Wird ausgeführt …
waiting-cancel = Abbrechen
saved-name = Name
saved-shared = Geteilt: Alle Mitglieder des Projekts sehen es
saved-new = Als neu speichern
saved-is-shared = geteilt
saved-first = Gezeigt werden die neuesten { $count }.
saved-others = Es gehört jemand anderem. Löschen dürfen es der Besitzer und Administratoren.
saved-delete = { $name } wird gelöscht.
saved-delete-shared = { $name } wird gelöscht, für alle im Projekt.

# SQL.

sql-databases = Datenbanken
sql-saved = Gespeicherte Abfragen
sql-saved-empty = Noch ist keine Abfrage gespeichert.
sql-forbidden = SQL ist Administratoren des Projekts vorbehalten, weil es alle Datensätze sieht.
sql-text = Abfrage
sql-hint = Ein SELECT, das nur liest. Strg-Enter führt es aus. Ein Wert heißt :name und hat nach dem ersten Ausführen ein eigenes Feld.
sql-parameters = Parameter
sql-type-of = Typ von { $name }
sql-type-text = Text
sql-type-number = Zahl
sql-type-boolean = wahr oder falsch
sql-type-null = NULL
sql-ask = Diese Abfrage hat Parameter: Geben Sie ihre Werte ein und führen Sie sie erneut aus.
sql-run = Ausführen
sql-run-part = Auswahl ausführen
sql-part = Vom Text wurde nur die Auswahl ausgeführt:
sql-part-lost = Was ausgewählt war, steht nicht mehr im Text; es wurde nichts ausgeführt. Wählen Sie es noch einmal aus.
typed-before = Hier wurde etwas getippt und nicht gespeichert:
typed-put = Zurückholen
typed-discard = Verwerfen
sql-result = Ergebnis
sql-rows = { $count ->
    [one] eine Zeile
   *[other] { $count } Zeilen
}
sql-first-rows = { $count ->
    [one] die erste Zeile; es gibt mehr
   *[other] die ersten { $count } Zeilen; es gibt mehr
}
sql-milliseconds = { $count } ms
sql-ended-early = Die Antwort endete zu früh. Führen Sie die Abfrage noch einmal aus.
sql-empty = Die Abfrage hat keine Zeilen.
sql-csv = Als CSV
sql-place = Im Text: Zeile { $line }, Spalte { $column }.
sql-cancelled = Es wurde abgebrochen.
sql-from-elsewhere = Ein Link von einer anderen Website hat diese Seite geöffnet, daher wurde die Abfrage nicht ausgeführt. Prüfen Sie sie zuerst.
sql-structure = Tabellen und Felder
sql-structure-find = Tabellen und Felder finden
sql-structure-empty = Keine Tabelle und kein Feld passt.
sql-structure-more = { $count ->
    [one] Eine weitere Tabelle: Geben Sie einen Teil des Namens ein.
   *[other] { $count } weitere Tabellen: Geben Sie einen Teil des Namens ein.
}
sql-more = { $count ->
    [one] ein weiteres Feld
   *[other] { $count } weitere Felder
}
sql-begin = Ihre Zeilen abfragen
sql-too-many-parameters = Diese Abfrage hat mehr als 200 Parameter. Schreiben Sie einige der Werte in den Text.
sql-of-another = Ein anderes Konto hat diese Abfrage gespeichert, und sie würde mit Ihren Rechten laufen. Lesen Sie sie, bevor Sie sie ausführen.

# Charts.

chart = Diagramm
chart-bar = Balken
chart-line = Linie
chart-pie = Kreis
chart-number = Zahl
chart-empty = Es gibt keine Zahlen zu zeichnen.
chart-numbers = Zahlen
chart-last = Gezeichnet sind die letzten { $count }.
chart-more = { $count ->
    [one] Ein weiterer Wert ist nicht gezeichnet.
   *[other] { $count } weitere Werte sind nicht gezeichnet.
}
chart-others = { $count ->
    [one] Eine andere
   *[other] { $count } andere
}
chart-first = Nur die ersten { $count } wurden gelesen.
chart-needs-field = Wählen Sie ein Feld: Ohne Feld lässt sich nur die Anzahl der Datensätze bestimmen.
chart-title = { $number } ({ $model })
chart-title-by = { $number } nach { $field } ({ $model })
chart-function = Berechnen
chart-count = Anzahl
chart-count-distinct = Anzahl verschiedener Werte
chart-sum = Summe
chart-avg = Durchschnitt
chart-min = Kleinster Wert
chart-max = Größter Wert
chart-of = Von
chart-records = Datensätzen
chart-numeric = Zahlen
chart-other-fields = Andere Felder
chart-by = Nach
chart-by-nothing = nichts: eine Zahl
chart-unit = Datumswerte gruppieren nach
chart-hour = Stunde
chart-day = Tag
chart-week = Woche
chart-month = Monat
chart-quarter = Quartal
chart-year = Jahr
chart-shape = Als
chart-draw = Zeichnen
chart-filters = { $count ->
    [0] Alle Datensätze.
    [one] Ein Filter gilt.
   *[other] { $count } Filter gelten.
}
chart-filters-change = Datensätze wählen
chart-of-sql = Die erste Spalte hat die Beschriftungen, die zweite die Zahlen.
chart-to-sql = Abfrage ändern
charts-saved = Gespeicherte Diagramme
charts-empty = Noch ist kein Diagramm gespeichert.
charts-empty-next = Wählen Sie unten eine Tabelle.
charts-new = Neues Diagramm
charts-find = Tabelle finden
charts-more-models = { $count ->
    [one] Eine weitere Tabelle: Geben Sie einen Teil des Namens ein.
   *[other] { $count } weitere Tabellen: Geben Sie einen Teil des Namens ein.
}
charts-from-sql = Auch das Ergebnis einer Abfrage in SQL hat ein Diagramm.

# The dashboard.

dashboard = Übersicht
dashboard-show = Zeigen
dashboard-begin = Diagramme und Anzahlen hierher legen
dashboard-arrange = Übersicht einrichten
dashboard-gone = Es wurde gelöscht oder ist nicht mit Ihnen geteilt.
dashboard-chart = Diagramm
dashboard-count = Anzahl der Datensätze von
dashboard-about = etwa
dashboard-add = Hinzufügen
dashboard-add-button = Hinzufügen
dashboard-add-chart = Zur Übersicht hinzufügen
dashboard-no-model = Diese Tabelle gibt es nicht. Schreiben Sie Datenbank und Tabelle mit einem Punkt dazwischen.
dashboard-full = Eine Übersicht hat höchstens { $count } Teile. Entfernen Sie zuerst einen.
dashboard-count-form = Datenbank.Tabelle
dashboard-none = Noch gibt es keine Übersicht. Was Sie hinzufügen, macht eine.
dashboard-is-shared = Diese Übersicht ist geteilt: Wer keine eigene hat, sieht sie vielleicht.
dashboard-becomes-own = Diese Übersicht ist geteilt. Was Sie ändern, macht eine eigene daraus.
dashboard-is-own = Nur Sie sehen diese Übersicht.
dashboard-empty = In der Übersicht ist nichts.
dashboard-hidden = (das Diagramm ist nicht geteilt: andere sehen es nicht)
dashboard-up = Nach oben
dashboard-down = Nach unten
dashboard-remove = Entfernen
dashboard-done = Fertig
dashboard-forget = Meine löschen und die geteilte sehen
dashboard-share = Mit allen teilen
dashboard-unshare = Nicht mehr teilen
pick-partly = Alle Datensätze zu durchsuchen dauert länger. Tippen Sie weiter, oder wählen Sie auf einer eigenen Seite.

# Pages.

pages-read-only = Sie dürfen die Seiten lesen, aber nicht ändern. Bitten Sie einen Administrator um mehr Rechte.
pages-empty = Es gibt noch keine Seiten.
pages-empty-next = Legen Sie mit „Neue Seite“ die erste an.
pages-new = Neue Seite
pages-new-below = Neue darunter
pages-new-below-of = Neue darunter: { $name }
pages-below = unter { $name }
pages-page = Seite
pages-actions = Was man tun kann
pages-choose = Auswählen
pages-choose-one = { $name } auswählen
pages-publish-chosen = Vergleichen und veröffentlichen
pages-discard-chosen = Entwürfe verwerfen
pages-none-chosen = { $count ->
    [one] Ist keine gewählt: die eine Seite mit Entwurf.
   *[other] Ist keine gewählt: alle { $count } Seiten mit Entwurf.
}
pages-state-published = veröffentlicht
pages-state-changed = geänderter Entwurf
pages-state-new = nie veröffentlicht
pages-state-deleted = im Entwurf gelöscht
pages-name = Name
pages-unique-name = Eindeutiger Name
pages-unique-name-hint = Seiten und Adressen beziehen sich darauf. Wird aus dem Namen gebildet, wenn er leer ist.
pages-view = Art
pages-view-hint = custom, außer die Anwendung kennt andere.
pages-parent = Seite darüber
pages-at-top = – keine –
pages-parent-missing = { $name } (diese Seite gibt es nicht)
pages-parent-own = Eine Seite kann nicht unter sich selbst liegen, und nicht unter einer Seite, die unter ihr liegt. Wählen Sie eine andere Seite oder keine.
pages-order = Reihenfolge
pages-order-hint = Eine Zahl: So sind Seiten nebeneinander geordnet.
pages-order-wrong = Geben Sie eine Zahl ein, etwa 2 oder 1.5.
pages-resource = Datenbank
pages-model = Tabelle
pages-params = Aufbau (JSON)
pages-params-hint = Was nicht geändert wird, bleibt wie gespeichert, mit jeder Ziffer und der Reihenfolge der Namen.
pages-rest = Weitere Eigenschaften
pages-rest-label = Eigenschaften (JSON-Objekt)
pages-rest-hint = Eine Eigenschaft, die hier entfernt wird, wird null.
pages-rest-wrong = Geben Sie ein JSON-Objekt ein, etwa {"{"}"zoom": 1.5{"}"}.
pages-rest-taken = { $name } kann hier nicht gesetzt werden: Es hat ein eigenes Feld, oder der Dienst setzt es.
pages-json-wrong = Zeile { $line }, Zeichen { $column }:
pages-format = JSON formatieren
pages-save = Entwurf speichern
pages-saved = Als Entwurf gespeichert. Alle sehen ihn, sobald er veröffentlicht ist.
pages-renamed-moved = { $count ->
    [one] Eine Seite darunter wurde mit geändert, als Entwurf, damit sie darunter bleibt. Veröffentlichen Sie beide Seiten zusammen.
   *[other] { $count } Seiten darunter wurden mit geändert, als Entwürfe, damit sie darunter bleiben. Veröffentlichen Sie alle diese Seiten zusammen.
}
pages-renamed-left = Die Seite { $name } konnte nicht geändert werden und liegt jetzt ganz oben. Öffnen Sie sie, und wählen Sie diese Seite als Seite darüber.
pages-document = Die ganze Seite
pages-name-missing = Geben Sie einen Namen ein.
pages-changes = Mit Veröffentlichtem vergleichen
pages-revisions = Fassungen
pages-discard = Entwurf verwerfen
pages-keep = Seite behalten
pages-publish = Veröffentlichen
pages-edit = Zurück zur Seite
pages-is-deleted = Diese Seite ist im Entwurf gelöscht. Sie bleibt veröffentlicht, bis das Löschen veröffentlicht wird.
pages-published-this = Veröffentlicht.
pages-published = { $count ->
    [one] Eine Seite wurde veröffentlicht.
   *[other] { $count } Seiten wurden veröffentlicht.
}
pages-discarded = { $count ->
    [one] Ein Entwurf wurde verworfen.
   *[other] { $count } Entwürfe wurden verworfen.
}
pages-copied = { $count ->
    [one] Eine Seite wurde hierher kopiert.
   *[other] { $count } Seiten wurden hierher kopiert.
}
pages-deleted = Die Seite wurde gelöscht.
pages-restored = Fassung { $number } ist jetzt der Entwurf.
pages-conflict-same = Jemand anderes hat inzwischen dieselben Felder geändert. Ihre Eingaben stehen im Formular, die anderen daneben; speichern Sie erneut, um Ihre zu behalten.
pages-conflict-document = Links, was jetzt gespeichert ist, rechts Ihre Eingabe.
pages-theirs = Jetzt gespeichert
pages-mine = Ihre Eingabe
pages-deleted-meanwhile = Jemand anderes hat diese Seite inzwischen gelöscht. Ihre Eingabe steht unten: Legen Sie sie als neue Seite an, oder lassen Sie es.
pages-published-name = Veröffentlicht
pages-draft-name = Entwurf
pages-no-difference = Entwurf und veröffentlichte Seite haben denselben Inhalt.
pages-number = Nummer
pages-when = Wann
pages-who = Wer
pages-what = Was
pages-no-author = unbekannt
pages-revisions-what = Jede Änderung hinterlässt eine Fassung; die neuesten hundert bleiben erhalten.
pages-revision = Fassung
pages-revision-title = Fassung { $number }
pages-revision-draft = Entwurf gespeichert
pages-revision-deleted = im Entwurf gelöscht
pages-revision-published = veröffentlicht
pages-revision-same = Die Seite hat den Inhalt dieser Fassung.
pages-now = Jetzt, mit Entwürfen
pages-restore = Als Entwurf wiederherstellen
pages-restore-what = Diese Fassung wird zum Entwurf. Was veröffentlicht ist, bleibt, und der jetzige Entwurf bleibt als Fassung erhalten.
pages-restore-changed = Jemand anderes hat die Seite inzwischen geändert, daher wurde nichts wiederhergestellt. Vergleichen Sie noch einmal.
pages-delete-new = Die Seite { $name } wurde nie veröffentlicht. Sie wird mit ihren Fassungen endgültig gelöscht.
pages-delete-published = Die Seite { $name } wird im Entwurf gelöscht. Sie bleibt veröffentlicht, bis das Löschen veröffentlicht wird.
pages-delete-below = { $count ->
    [one] Eine Seite liegt darunter. Sie bleibt und rückt nach oben.
   *[other] { $count } Seiten liegen darunter. Sie bleiben und rücken nach oben.
}
pages-delete-changed = Jemand anderes hat die Seite inzwischen geändert. Sehen Sie sie noch einmal an, bevor Sie sie löschen.
pages-no-drafts = Keine Seite hat einen Entwurf.
pages-publish-title = Entwürfe veröffentlichen
pages-publish-what = { $count ->
    [one] Alle sehen diese Änderung, sobald sie veröffentlicht ist.
   *[other] Alle sehen diese { $count } Änderungen, sobald sie veröffentlicht sind, alle zugleich.
}
pages-publish-others = { $count ->
    [one] Eine weitere Seite hat einen Entwurf, der Entwurf bleibt.
   *[other] { $count } weitere Seiten haben Entwürfe, die Entwürfe bleiben.
}
pages-publish-count = { $count ->
    [one] Diese Seite veröffentlichen
   *[other] { $count } Seiten veröffentlichen
}
pages-publish-deletes = Die Seite wird mit ihren Fassungen endgültig gelöscht.
pages-publish-newer = Jemand hat seit Ihrem Blick einen neueren Entwurf gespeichert, daher wurde nichts veröffentlicht. Er ist unten markiert.
pages-publish-newer-too = Auch die neueren Entwürfe veröffentlichen
pages-publish-without = Die neueren Entwürfe auslassen
pages-newer = neuer als das, was Sie sahen
pages-discard-title = Entwürfe verwerfen
pages-discard-what = { $count ->
    [one] Dieser Entwurf wird verworfen:
   *[other] Diese { $count } Entwürfe werden verworfen:
}
pages-discard-changed = geht auf das Veröffentlichte zurück
pages-discard-new = wurde nie veröffentlicht und wird endgültig gelöscht
pages-discard-deleted = bleibt doch erhalten
pages-discard-others = { $count ->
    [one] Ein weiterer Entwurf bleibt.
   *[other] { $count } weitere Entwürfe bleiben.
}
pages-discard-newer = Jemand hat seit Ihrem Blick einen neueren Entwurf gespeichert, daher wurde nichts verworfen. Er ist unten markiert.
pages-copy = In eine Umgebung kopieren
pages-copy-administrators = Nur Administratoren kopieren Seiten in andere Umgebungen.
pages-copy-what = Die Seiten werden mit ihren Entwürfen kopiert. Ihre Fassungen beginnen dort von vorn.
pages-copy-to = Nach
pages-copy-pages = Seiten
pages-copy-settings = Einstellungen der Umgebung
pages-copy-next = Zeigen, was geschieht
pages-copy-nothing = Wählen Sie, was kopiert wird.
pages-copy-nowhere = Das Projekt hat keine andere Umgebung. Legen Sie zuerst eine an.
pages-copy-count = { $count ->
    [one] Eine Seite von { $from } wird nach { $to } kopiert.
   *[other] { $count } Seiten von { $from } werden nach { $to } kopiert.
}
pages-copy-replaces = { $count ->
    [one] { $to } hat eine Seite, die mit Entwurf und Fassungen gelöscht wird.
   *[other] { $to } hat { $count } Seiten, die alle mit Entwürfen und Fassungen gelöscht werden.
}
pages-copy-with-settings = Die Einstellungen von { $from } werden die von { $to }.
pages-copy-replaces-settings = Die Einstellungen, die { $to } hat, gehen verloren.
pages-copy-replace = Ersetzen und kopieren
pages-copy-do = Kopieren

# Differences of texts.

diff-removed = entfernt
diff-added = hinzugefügt
diff-more = { $count ->
    [one] Eine weitere Zeile ist nicht gezeigt.
   *[other] { $count } weitere Zeilen sind nicht gezeigt.
}

# People: users of an environment, members, accounts.

people-name = Name
people-first-name = Vorname
people-last-name = Nachname
people-since = Seit
people-team = Team
people-only-read = Administratoren des Projekts können das ändern.
people-not-a-number = Geben Sie eine ganze Zahl ein.
people-color = Farbe
people-color-none = keine
people-color-gray = grau
people-color-blue = blau
people-color-green = grün
people-color-yellow = gelb
people-color-orange = orange
people-color-red = rot
people-color-purple = violett
people-sessions-count = { $count ->
    [0] keine offene Sitzung
    [one] eine offene Sitzung
   *[other] { $count } offene Sitzungen
}
people-sessions-empty = Es gibt keine offene Sitzung.
people-sessions-end-all = Alle Sitzungen beenden
people-sessions-end-what = { $email } wird überall abgemeldet: { $count ->
    [one] eine Sitzung endet
   *[other] { $count } Sitzungen enden
}. Eine neue Anmeldung ist möglich.

# Users.

users = Benutzer
users-count = { $count ->
    [one] ein Benutzer
   *[other] { $count } Benutzer
}
users-empty = Noch kann sich niemand bei der Anwendung dieser Umgebung anmelden.
users-empty-next = Den ersten Benutzer einladen
users-what-link = die Mitglieder des Projekts
users-what = Benutzer melden sich bei Ihrer Anwendung an. Wer in dieser Konsole arbeiten soll, ist Mitglied:
users-none-fits = Kein Benutzer passt.
users-all-teams = Alle Teams
users-invite = Benutzer einladen
users-invite-again = Einladung noch einmal senden
users-team-hint = Das Team entscheidet, was der Benutzer sehen und ändern darf.
users-with-password = Ein Passwort setzen, statt eine Einladung zu senden
users-password-hint = Mit einem Passwort kann sich der Benutzer sofort anmelden, und es geht keine E-Mail hinaus. Ohne Passwort wird eine Einladung gesendet.
users-fields = Name und Team
users-may = Was das Team { $team } darf
users-active = aktiv
users-without-password = noch kein Passwort
users-suspended = gesperrt
users-unconfirmed = Adresse nicht bestätigt
users-suspend = Sperren
users-resume = Wieder anmelden lassen
users-see-as = Als dieser Benutzer sehen
users-suspend-what = { $email } kann sich nicht mehr anmelden, bis Sie es wieder erlauben{ $count ->
    [0] {""}
    [one] , und eine Sitzung endet
   *[other] , und { $count } Sitzungen enden
}.
users-delete-what = { $email } wird endgültig gelöscht{ $count ->
    [0] {""}
    [one] , und eine Sitzung endet
   *[other] , und { $count } Sitzungen enden
}. Datensätze bleiben, wie sie sind.
users-done-made = Der Benutzer ist angelegt und kann sich bei der Anwendung anmelden.
users-done-invited = Die Einladung ist unterwegs.
users-done-resumed = Der Benutzer kann sich wieder anmelden.
users-done-suspended = Die Anmeldung ist nicht mehr möglich, und alle Sitzungen sind beendet.
users-done-signed-out = Alle Sitzungen sind beendet.

# Teams.

teams = Teams
teams-new = Neues Team
teams-what = Ein Team entscheidet, was seine Leute sehen und ändern dürfen.
teams-begins = Anfängliche Rechte
teams-otherwise = Rechte ohne eigene Regel
teams-members = Mitglied mit diesem Team hinzufügen
teams-begins-hint = Rechte auf einzelne Datenbanken und Tabellen folgen als Nächstes.
teams-group-administrator = verwaltet das Projekt
teams-group-editor = liest und ändert alles
teams-group-read-only = liest alles
teams-group-nothing = nichts, bis es erlaubt wird
teams-people = Personen
teams-users = { $count ->
    [0] kein Benutzer in dieser Umgebung
    [one] ein Benutzer in dieser Umgebung
   *[other] { $count } Benutzer in dieser Umgebung
}
teams-team = Team
teams-delete-what = Das Team { $name } wird mit seinen Rechten gelöscht.
teams-delete-people = { $count ->
    [one] Ein Benutzer dieser Umgebung ist im Team, daher kann es nicht gelöscht werden. Ordnen Sie ihn
   *[other] { $count } Benutzer dieser Umgebung sind im Team, daher kann es nicht gelöscht werden. Ordnen Sie sie
} zuerst einem anderen Team zu.
teams-delete-members = { $count ->
    [one] Ein Mitglied des Projekts ist im Team, daher kann es nicht gelöscht werden. Ordnen Sie es
   *[other] { $count } Mitglieder des Projekts sind im Team, daher kann es nicht gelöscht werden. Ordnen Sie sie
} zuerst einem anderen Team zu.
teams-delete-tokens = { $count ->
    [one] Ein Service-Token der Umgebung { $environment } handelt für das Team, daher kann es nicht gelöscht werden. Widerrufen Sie zuerst das Token.
   *[other] { $count } Service-Token der Umgebung { $environment } handeln für das Team, daher kann es nicht gelöscht werden. Widerrufen Sie zuerst diese Token.
}
teams-delete-show = Anzeigen
teams-delete-super = Das Team der Administratoren bleibt.

# Rights.

rights = Rechte
rights-may = Was das Team darf
rights-of = Rechte von { $team }
rights-what = Tabelle
rights-everywhere = Alle Datenbanken
rights-whole = Alle Tabellen von { $name }
rights-default = keine Regel: { $rights }
rights-choice = Rechte
rights-now = Gilt jetzt
rights-nothing = nichts
rights-read = lesen
rights-write = schreiben
rights-delete = löschen
rights-read-write = lesen und schreiben
rights-read-delete = lesen und löschen
rights-write-delete = schreiben und löschen
rights-all = lesen, schreiben und löschen
rights-inherit = wie oben ({ $rights })
rights-inherited = von oben
rights-pages = Rechte gelten für Tabellen; alle Mitglieder des Projekts sehen alle Seiten.
rights-only-here = (in dieser Umgebung anders)
rights-legend = ● steht vor einem Recht, das für diese Tabelle oder Datenbank gesetzt ist. Die anderen kommen von oben: von der Datenbank, von allen Datenbanken oder von dem, was das Team ohne jede Regel darf.
rights-except = außer
rights-change = Rechte ändern
rights-all-of-team = Alle Rechte des Teams
rights-administrators = Administratoren dürfen alles. Um jemanden einzuschränken, wählen Sie ein anderes Team.
rights-all-environments = Gilt in allen Umgebungen. Für eine Umgebung allein öffnen Sie „Gilt jetzt“.
rights-more = { $count ->
    [one] Eine weitere Tabelle ist
   *[other] { $count } weitere Tabellen sind
} nicht zu sehen. Suchen Sie oben danach.
rights-no-database = In dieser Umgebung ist keine Datenbank verbunden.
rights-search = Tabellen suchen
rights-show = Anzeigen
rights-sentence = In { $name } darf das Team { $team }: { $rights }.
rights-own = Darf
rights-may-read = lesen: Listen und Datensätze sehen
rights-may-write = schreiben: Datensätze anlegen und ändern
rights-may-delete = Datensätze löschen
rights-none-hint = Ist nichts angekreuzt, ist alles verboten.
rights-saved-here = Nur für { $environment } gespeichert. In allen anderen Umgebungen gilt weiter die Regel für alle: { $rights }.
rights-where = Gilt
rights-where-all = in allen Umgebungen
rights-where-here = nur in { $environment }
rights-in = in { $environment }
rights-set = Diese Rechte setzen
rights-ladder = Woher das kommt
rights-ladder-hint = Die erste Zeile entscheidet.
rights-begins = Ohne jede Regel
rights-remove = Entfernen

# Integrations.

integrations-tokens = Token
integrations-tokens-what = Ein statisches Token öffnet einem Programm eine Datenbank. Es gehört nicht in Seiten, die Browser anderer Leute laden.
integrations-token-new = Neues Token
integrations-opens = Öffnet
integrations-tools = Benutzer und Teams
integrations-rights = Darf
integrations-everything = alles, auch SQL
integrations-read = Datensätze lesen
integrations-write = Datensätze lesen und schreiben
integrations-delete = Datensätze lesen, schreiben und löschen
integrations-models = Nur diese Tabellen
integrations-models-hint = Durch Kommas getrennt. Bleibt es leer, alle.
integrations-models-unknown = Diese Tabelle gibt es in { $resource } nicht: { $names }
integrations-token-usage = Das gibt die Struktur der Datenbank. Jede andere Anfrage hat denselben Header.
integrations-service-tokens = Service-Token
integrations-service-tokens-what = Ein Service-Token gibt einem Programm die Rechte eines Teams, mit dessen Regeln für Zeilen und Felder, und den HTTP-Proxy.
integrations-service-token-usage = Senden Sie es mit jeder Anfrage:
integrations-team = Team
integrations-team-hint = Das Programm darf, was Mitglieder dieses Teams dürfen.
integrations-keys = API-Schlüssel
integrations-keys-what = Die API-Schlüssel von Mitgliedern, die dieses Projekt erreichen. Jeder handelt als sein Konto.
integrations-keys-own = Legen Sie einen eigenen in Ihrem Profil an.
integrations-keys-exclude = Der Schlüssel von { $email } erreicht dieses Projekt nicht mehr. In anderen Projekten gilt er weiter.
integrations-secrets = Geheimnisse
integrations-secrets-what = Schlüssel anderer Dienste. Der HTTP-Proxy sendet sie für Aufrufer, die sie nicht kennen, und nur an diese Hosts. Ein Wert wird nie wieder gezeigt.
integrations-secrets-empty = Kein Geheimnis ist gesetzt. Setzen Sie eines, um einen anderen Dienst aufzurufen, ohne Browsern dessen Schlüssel zu geben.
integrations-secret-set = Geheimnis setzen
integrations-secret-hint = Anfragen nennen es mit { "{-name-}" }. Ein Geheimnis mit demselben Namen wird ersetzt.
integrations-secret-delete = Das Geheimnis { $name } von { $resource } wird gelöscht. Anfragen des HTTP-Proxys, die es benutzen, schlagen danach fehl.
integrations-resource = Datenbank
integrations-sent-to = Gesendet an
integrations-sent-to-hint = Hosts, durch Kommas getrennt.
integrations-value = Wert
integrations-value-hint = Er lässt sich später ersetzen, aber nicht lesen.
integrations-changed = Geändert
integrations-hosts = Erlaubte Hosts
integrations-hosts-what = Hosts, die nicht öffentlich sind und die der HTTP-Proxy dieses Projekts trotzdem erreichen darf. Sie gelten für alle Umgebungen.
integrations-hosts-empty = Kein Host ist erlaubt. Öffentliche Hosts brauchen keine Erlaubnis.
integrations-host-allow = Erlauben
integrations-host-remove = Entfernen
integrations-host-what = Der HTTP-Proxy erreicht { $host } nicht mehr, in keiner Umgebung des Projekts.
integrations-allowed-since = Erlaubt seit

# Credentials and secrets.

secret-once = Kopieren Sie es jetzt. Es wird nur dieses eine Mal gezeigt, und niemand kann es später nachsehen.
secret-shown-before = Das wurde schon angelegt, und der Text wurde dabei gezeigt. Wurde er nicht aufbewahrt, widerrufen Sie es und legen Sie ein neues an.
credentials-name = Name
credentials-name-hint = Für Sie: wer oder was es benutzt.
credentials-begins = Präfix
credentials-made = Angelegt
credentials-used = Zuletzt benutzt
credentials-never-used = nie benutzt
credentials-ends = Läuft ab
credentials-never-ends = nie
credentials-over = abgelaufen
credentials-last-day = Letzter Tag
credentials-last-day-hint = Bleibt es leer, endet es nie.
credentials-last-day-wrong = Geben Sie Jahr, Monat und Tag ein, etwa 2030-01-31. Der Tag muss heute oder später sein.
credentials-unnamed = ohne Namen
credentials-revoke = Widerrufen
credentials-revoke-what = gilt sofort nicht mehr. Das lässt sich nicht rückgängig machen: Programme, die es noch benutzen, werden abgewiesen.
credentials-was-revoked = widerrufen
credentials-revoked = Widerrufene zeigen
credentials-valid = Widerrufene verbergen
credentials-empty = Noch nichts angelegt. Legen Sie für jedes Programm einen eigenen Zugang an.

# Code.

snippets = Code
snippets-what = Diese Anfragen geben, was die Seite zeigt. Sie brauchen ein Token von { $resource } in der Umgebung:
snippets-token = Token anlegen

# The audit trail.

audit-of-service = Protokoll aller Projekte
audit-when = Wann
audit-who = Wer
audit-what = Was
audit-where = Wo
audit-project = Projekt
audit-resource = Datenbank
audit-model = Tabelle
audit-record = Datensatz
audit-records = Datensätze
audit-since = Seit
audit-until = Bis
audit-show = Zeigen
audit-all = Alle anzeigen
audit-hint = Seit und bis: ein Zeitpunkt oder eine Spanne wie 7d, 12h oder 30m.
audit-empty = Keine Zeile passt. Entfernen Sie einen Filter, oder gehen Sie weiter zurück.
audit-request = Anfrage
audit-status = Beantwortet mit
audit-outcome = Ausgang
audit-values = Werte
audit-no-values = Hiervon wurden keine Werte aufbewahrt.

# The settings of a project.

settings-project = Projekt
settings-environments = Umgebungen
settings-sign-in = Anmeldung
settings-members = Mitglieder
settings-unique-name = In Adressen:
settings-short-name = Kurzname
settings-short-name-hint = Kleinbuchstaben, Ziffern und Bindestriche, etwa shop. Er ist Teil von Adressen und bleibt für immer.
settings-domain = Domain der Anwendung
settings-default-environment = Standardumgebung
settings-is-default = Standard
settings-delete = Projekt löschen
settings-delete-hint = Mit allen Umgebungen, Benutzern, Teams, Seiten und Einstellungen. Datenbanken bleiben, wie sie sind.
settings-delete-what = { $name } wird endgültig gelöscht, mit { $environments ->
    [one] einer Umgebung
   *[other] { $environments } Umgebungen
}, mit allen Benutzern, Teams, Seiten und Einstellungen. { $databases ->
    [0] Keine Datenbank ist verbunden
    [one] Eine Datenbank wird getrennt
   *[other] { $databases } Datenbanken werden getrennt
}; die Datenbanken selbst bleiben, wie sie sind.
settings-environments-what = Jede Umgebung hat eigene Datenbanken, Benutzer und Seiten.
settings-environment-new = Neue Umgebung
settings-environment-delete = Umgebung löschen
settings-environment-delete-what = { $name } wird endgültig gelöscht, mit Benutzern, Seiten und Einstellungen. { $databases ->
    [0] Keine Datenbank ist mit ihr verbunden
    [one] Eine Datenbank wird getrennt
   *[other] { $databases } Datenbanken werden getrennt
}; die Datenbanken selbst bleiben, wie sie sind.
settings-prod-stays = Die Umgebung prod kann nicht gelöscht werden.
settings-copy = Kopieren
settings-members-what = Mitglieder melden sich bei dieser Konsole an. Das Team entscheidet, was sie sehen und ändern. Eine Adresse ohne Konto bekommt eine Einladung.
settings-members-add = Hinzufügen
settings-members-added = { $email } ist jetzt Mitglied. Wer noch kein Passwort hat, bekommt eine E-Mail mit einem Link.
settings-members-none = Kein Mitglied passt.
settings-members-count = { $count ->
    [one] ein Mitglied
   *[other] { $count } Mitglieder
}
settings-members-remove = Aus dem Projekt entfernen
settings-members-remove-what = { $email } kann dieses Projekt nicht mehr öffnen. Das Konto bleibt.
settings-members-remove-self = Das sind Sie selbst.
settings-registering = Registrierung
settings-sign-up = Benutzer können sich selbst registrieren
settings-sign-up-team = Team für neue Registrierungen
settings-domains = Domains von E-Mail-Adressen, die sich registrieren können
settings-domains-hint = Durch Kommas getrennt, etwa example.com. Ohne Angabe alle.
settings-confirm = Die E-Mail-Adresse muss vor der Anmeldung bestätigt werden
settings-security = Sicherheit
settings-password-length = Mindestlänge von Passwörtern (8 bis 128)
settings-access-seconds = Ein Zugriffstoken gilt (Sekunden, 60 bis 86400)
settings-refresh-days = Eine unbenutzte Sitzung endet nach (Tagen, 1 bis 365)
settings-mails = E-Mails
settings-link = Wohin Links in E-Mails führen
settings-link-hint = Leer: zu den Seiten des Dienstes. Sonst eine URL mit dem Code darin, etwa

# The profile.

profile = Profil
profile-names = Über Sie
profile-first-name = Vorname
profile-last-name = Nachname
profile-language = Sprache
profile-language-browser = die des Browsers
profile-zone = Zeitzone
profile-zone-hint = Zeiten werden in ihr gezeigt; ohne eine in UTC. Jetzt ist es
profile-security = Passwort und E-Mail
profile-password = Passwort
profile-password-now = Jetziges Passwort
profile-password-new = Neues Passwort
profile-password-repeated = Neues Passwort noch einmal
profile-password-what = Alle anderen Sitzungen enden. API-Schlüssel gelten weiter.
profile-password-change = Passwort ändern
profile-password-changed = Das Passwort wurde geändert, und alle anderen Sitzungen sind beendet.
profile-password-keys = Ihre API-Schlüssel gelten weiter. Widerrufen Sie, was jemand anders kennen könnte:
profile-password-differs = Das neue Passwort wurde nicht zweimal gleich eingegeben. Nichts wurde geändert.
profile-email-new = Neue E-Mail-Adresse
profile-email-what = Ein Code wird an die neue Adresse gesendet. Nichts ändert sich, bis Sie ihn hier eingeben. Dann enden alle Sitzungen, und Sie melden sich mit der neuen Adresse an.
profile-email-send = Code senden
profile-email-sent = Ein Code ist unterwegs zur neuen Adresse. Geben Sie ihn unten ein.
profile-email-code = Code aus der E-Mail
profile-email-confirm = Adresse bestätigen
profile-email-changed = Die E-Mail-Adresse wurde geändert.
sessions = Sitzungen
profile-sessions-what = Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen, und ändern Sie dann Ihr Passwort.
profile-sessions-end = Alle anderen beenden
session-what = Browser oder Programm
session-address = Von
session-since = Seit
session-this = Diese
session-unknown = unbekannt
session-end = Beenden
session-ended = Die Sitzung ist beendet.
profile-sessions-ended = Alle anderen Sitzungen sind beendet.
profile-keys = API-Schlüssel
profile-keys-what = Ein Programm mit einem API-Schlüssel handelt als Sie. Es hat nie mehr Rechte als Sie.
profile-key-new = Neuer API-Schlüssel
profile-key-all = alle Ihre, jetzt und später
profile-key-some = nur diese:
profile-key-usage = Das listet Ihre Projekte auf. Jede andere Anfrage hat denselben Header.

# The service.

service-away = Der Dienst ist gerade nicht zu erreichen. Versuchen Sie es gleich noch einmal. Wenn das nicht hilft, sagen Sie es denen, die ihn betreiben.
service-unanswered = Der Dienst hat nicht rechtzeitig geantwortet. Vielleicht hat er getan, was Sie wollten: Sehen Sie nach, bevor Sie es noch einmal versuchen.
service = Dienst
service-overview = Überblick
service-version = Version
service-nodes = Knoten
service-node = Rechner
service-since = Läuft seit
service-seen = Zuletzt gesehen
service-figures = Metriken
service-figures-of = Zahlen des Knotens
service-figures-since = aufbewahrt seit
service-figures-others = Es gibt andere Knoten mit eigenen Zahlen; wer gerade antwortet, zeigt seine eigenen.
service-figures-empty = Linien werden ab { $time } gezeichnet, mit einem Punkt alle { $seconds } Sekunden. Bis dahin sind dies die Zahlen von jetzt.
service-figures-span = Zeitraum
service-figures-hours = { $count } Stunden
service-figures-average = Jeder Punkt steht für { $minutes } Minuten: ihr Durchschnitt, und die meisten Verbindungen.
service-figure-requests = Anfragen pro Sekunde
service-figure-errors = Fehler (5xx) pro Sekunde
service-figure-duration = Durchschnittliche Antwortzeit (ms)
service-figure-cpu = Prozessor (Kerne)
service-figure-memory = Arbeitsspeicher (MB)
service-figure-connections = Verbindungen zu Datenbanken
service-figure-now = jetzt
service-figure-time = Zeit
service-databases = Datenbanken
service-database = Datenbank
service-databases-empty = Keine Datenbank ist verbunden.
service-states = Zustände ansehen
service-mails = E-Mails
service-mails-what = E-Mails, die darauf warten, gesendet zu werden. Ihre Links stehen hier nicht.
service-mails-empty = Keine E-Mail wartet.
service-mail-to = An
service-mail-subject = Betreff
service-mail-of = Projekt
service-mail-attempts = Versuche
service-mail-error = Letzter Fehler
service-settings = Einstellungen
service-settings-what = Was auf dem Knoten gilt, der geantwortet hat, und wo jeder Wert gesetzt wurde.
service-setting = Einstellung
service-setting-hidden = gesetzt, und nicht gezeigt
service-setting-unset = nicht gesetzt
service-source = Gesetzt durch
service-source-flag = Option
service-source-variable = Umgebungsvariable
service-source-file = Datei
service-source-default = Standardwert
service-signing = Signaturschlüssel
service-signing-what = Er signiert die Zugriffstoken aller, die angemeldet sind.
service-signing-rotate = Signaturschlüssel wechseln
service-signing-question = Von jetzt an signiert ein neuer Schlüssel. Token des Schlüssels davor gelten, bis sie ablaufen, höchstens einen Tag.
service-signing-now = Diese Token sofort ungültig machen, etwa nach einem Leck. Alle bleiben angemeldet; Programme bekommen neue Token.
service-signing-done = Jetzt signiert der Schlüssel { $key }.

# Finding places, and keys.

find = Suchen
find-hint = Name eines Ortes, einer Tabelle oder Seite, oder Tabelle und Schlüssel
find-recent = Zuletzt offen
find-close = Schließen
find-records = Datensatz
find-nothing = Nichts passt. Geben Sie einen Teil eines Namens ein, oder den Namen einer Tabelle mit dem Schlüssel eines Datensatzes.
find-more = und { $count ->
    [one] ein weiterer
   *[other] { $count } weitere
}: Geben Sie mehr vom Namen ein
find-away = { $name }: keine Antwort, daher fehlt hier, was dort ist.
keys = Tasten
keys-close = Schließen, was offen ist
keys-search = Zur Suche
keys-cells = Zur nächsten Zelle
keys-row = Zur ersten oder letzten Zelle der Zeile
keys-ends = Zur ersten oder letzten Zelle der Tabelle
keys-open = Den Link der Zelle öffnen oder ihren Wert ändern
keys-edit = Den Wert der Zelle ändern
keys-type = Jeder Buchstabe und jede Ziffer (nicht / und ?) beginnt einen neuen Wert der Zelle
keys-restore = In einer Zelle, die gerade geändert wird: den Wert lassen, wie er war
keys-mark = Den Datensatz markieren
keys-space = Leertaste
keys-range = Mehrere Zellen wählen
keys-copy = Die Zellen kopieren
keys-run = Die Abfrage ausführen

# Mails that no mail server has taken.
outbox-ask = Kommt keine E-Mail an, hat der Dienst vielleicht keinen Mailserver: Fragen Sie einen Betreiber des Dienstes nach dem Link.
outbox-command = Der Dienst hat keinen Mailserver. Dieser Befehl zeigt auf dem Rechner des Dienstes die E-Mails mit ihren Links:
connect-url-hint = Eine SQLite-Datei lässt sich verbinden, wenn sie in einem Ordner liegt, den ein Betreiber dafür geöffnet hat (sqlite-dir): sqlite:/Ordner/Datei.db

# What was hard to see.
service-figure-until = bis { $time } Uhr
history-took-back = Das nahm die Änderung zurück von

# What the audit trail says.
audit-any = beliebig
audit-any-of = alles
audit-with = Mit
audit-of-records = Datensatz
audit-of-imports = Import
audit-of-pages = Seite
audit-of-account = Anmeldung
audit-of-users = Benutzer
audit-of-members = Mitglied
audit-of-project-teams = Team
audit-of-teams = Team (als Datensatz)
audit-of-rights = Recht
audit-of-items = Gespeichertes
audit-of-resources = Datenbank
audit-of-environments = Umgebung
audit-of-projects = Projekt
audit-of-accounts = Konto
audit-of-functions = Funktion
audit-of-proxy = HTTP-Proxy
audit-of-secrets = Geheimnis
audit-of-allow-hosts = Erlaubter Host
audit-of-tokens = Token
audit-of-service-tokens = Service-Token
audit-of-api-keys = API-Schlüssel
audit-of-account-keys = Eigener API-Schlüssel
audit-of-signing-keys = Signaturschlüssel
audit-did-accept-invitation = Einladung angenommen
audit-did-act-as = mit dessen Augen gesehen
audit-did-begin = begonnen
audit-did-bulk-create = mehrere angelegt
audit-did-call = aufgerufen
audit-did-cancel = abgebrochen
audit-did-go-on = fortgesetzt
audit-did-change-email = andere Adresse verlangt
audit-did-change-email-complete = Adresse geändert
audit-did-change-password = Passwort geändert
audit-did-copy = kopiert
audit-did-create = angelegt
audit-did-create-draft = Entwurf angelegt
audit-did-delete = gelöscht
audit-did-delete-all = mehrere gelöscht
audit-did-delete-draft = Entwurf gelöscht
audit-did-discard = Entwurf verworfen
audit-did-end-other-sessions = andere Sitzungen beendet
audit-did-end-session = Sitzung beendet
audit-did-exclude = vom Projekt ausgeschlossen
audit-did-invite = eingeladen
audit-did-login = angemeldet
audit-did-logout = abgemeldet
audit-did-publish = veröffentlicht
audit-did-register = registriert
audit-did-remove = entfernt
audit-did-replace = ersetzt
audit-did-reset-password = neues Passwort verlangt
audit-did-reset-password-complete = neues Passwort gesetzt
audit-did-restore = Fassung wiederhergestellt
audit-did-resume = Sperre aufgehoben
audit-did-revoke = widerrufen
audit-did-rotate = gewechselt
audit-did-send = Anfrage gesendet
audit-did-set = gesetzt
audit-did-sign-in-code = Anmeldelink erstellt
audit-did-suspend = gesperrt
audit-did-update = geändert
audit-did-update-all = mehrere geändert
audit-did-update-draft = Entwurf geändert
