# Die Texte der Konsole auf Deutsch.

skip = Zum Inhalt
areas = Teile der Umgebung
area-data = Daten
crumbs = Wo Sie sind
environment = Umgebung
production = Produktion
request-id = Anfrage:
confirm-name = Zur Bestätigung den Namen eingeben: { $name }
confirm-name-wrong = Zur Bestätigung { $name } eingeben. Es wurde nichts getan.
yes = ja
no = nein
empty = leer
bytes = { $count ->
    [one] { $count } Byte
   *[other] { $count } Bytes
}

sign-in = Anmelden
sign-in-wrong = Die E-Mail-Adresse oder das Passwort ist falsch.
sign-in-ended = Ihre Sitzung ist zu Ende. Melden Sie sich an, um weiterzumachen; nichts von Ihren Eingaben ist verloren.
sign-in-again-title = Sie sind wieder angemeldet
sign-in-again = Ihre Eingaben wurden noch nicht gesendet.
sign-out = Abmelden
email = E-Mail-Adresse
password = Passwort
go-on = Weiter

enter = Willkommen
enter-what = Mit diesem Link melden Sie sich einmal an.
enter-invalid = Dieser Link wurde schon benutzt oder ist zu alt. Bitten Sie um einen neuen, oder melden Sie sich mit Ihrem Passwort an.
first-run = Das erste Konto
first-run-what = Noch betreibt niemand diesen Dienst. Dieses Konto darf alles.
first-run-make = Konto anlegen
first-run-late = Diesen Dienst betreibt schon jemand, oder der Link ist nicht vollständig.

problem-title = Das hat nicht geklappt
problem-home = Zu den Projekten
problem-not-found = Unter dieser Adresse ist nichts. Vielleicht wurde es gelöscht, oder Sie dürfen es nicht sehen.
problem-method = Diese Adresse kann nur geöffnet werden oder ein Formular bekommen.
problem-not-utf8 = Die Adresse oder das Formular hat Zeichen, die nicht gelesen werden können.
problem-not-a-form = Was gesendet wurde, ist kein Formular.
problem-too-large = Was gesendet wurde, ist zu groß. Senden Sie weniger auf einmal.
problem-foreign = Das Formular kam von einer anderen Website, deshalb wurde nichts getan. Öffnen Sie die Seite hier und senden Sie es noch einmal.
problem-other-account = Inzwischen hat sich jemand anderes angemeldet, deshalb wurde nichts getan. Öffnen Sie die Seite noch einmal.
problem-unavailable = Der Dienst kann gerade keine Sitzungen nachsehen. Versuchen Sie es gleich noch einmal.

projects = Projekte
projects-empty = Sie sind noch in keinem Projekt Mitglied. Bitten Sie einen Administrator, Sie hinzuzufügen.
projects-resources = { $count ->
    [0] keine Datenbank
    [one] eine Datenbank
   *[other] { $count } Datenbanken
}
resources-empty = Noch ist keine Datenbank verbunden.
models-empty = Diese Datenbank hat keine Tabellen.
view = Sicht
fields-count = { $count ->
    [one] ein Feld
   *[other] { $count } Felder
}

connect = Datenbank verbinden
connect-save = Verbinden
connect-test = Testen
resource-name = Name
resource-name-hint = Der Name in Adressen, zum Beispiel shop. Er kann später nicht geändert werden.
path = Datei
path-hint = Auf dem Rechner des Dienstes.
host = Host
port = Port
database = Datenbank
database-user = Benutzer
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
models = Tabellen und Sichten
pool = Verbindungen
pool-use = { $used } von { $size } in Gebrauch, { $waiting } warten
open-records = Öffnen
reload = Struktur neu lesen
reloaded = Die Struktur wurde neu gelesen.
disconnect = Trennen
disconnect-what = { $name } wird getrennt, mit seinen Tokens und Geheimnissen. Die Datenbank selbst bleibt, wie sie ist.

search = Suchen
field = Feld
lookup = Vergleich
value = Wert
not = nicht
filters = Filter
filter-add = Filter
filter-apply = Filter hinzufügen
filter-remove = Filter entfernen
columns = Spalten
columns-apply = Diese zeigen
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
records-empty = Kein Datensatz passt.
pages = Seiten
previous = Zurück
next = Weiter
shown = { $count ->
    [one] ein Datensatz gezeigt
   *[other] { $count } Datensätze gezeigt
}
count-exact = { $count ->
    [one] ein Datensatz
   *[other] { $count } Datensätze
}
count-about = etwa { $count } Datensätze
count-unknown = Die Datensätze wurden nicht gezählt.

record-new = Neuer Datensatz
required = nötig
too-long = { $count } Zeichen: zu lang, um hier geändert zu werden. Es bleibt, wie es ist.
by-database = Das füllt die Datenbank.
refers-to = Verweist auf { $model }.
refers-open = Verweist auf { $model } { $key }
related = Datensätze, die hierauf verweisen
state-value = Wert
state-default = Vorgabe
save = Speichern
create = Anlegen
cancel = Abbrechen
saved = Gespeichert.
unchanged = Nichts wurde geändert, deshalb wurde nichts gespeichert.
back-to-list = Zurück zur Liste
fields-wrong = Einige Felder stimmen nicht. Nichts wurde gespeichert.
conflict-apart = Jemand anderes hat inzwischen andere Felder geändert. Diese Änderungen stehen unten, zusammen mit Ihren; speichern Sie noch einmal, um beide zu behalten.
conflict-same = Jemand anderes hat inzwischen dieselben Felder geändert. Ihre Werte stehen im Formular, die anderen darunter; speichern Sie noch einmal, um Ihre zu behalten.
conflict-theirs = Jetzt in der Datenbank:

delete = Löschen
delete-what = Der Datensatz { $key } von { $model } wird endgültig gelöscht.
delete-changed = Jemand anderes hat den Datensatz inzwischen geändert. Sehen Sie ihn noch einmal an, bevor Sie ihn löschen.
references-count = { $count ->
    [one] ein Datensatz verweist darauf
   *[other] { $count } Datensätze verweisen darauf
}
references-hidden = Datensätze, die Sie nicht sehen dürfen
rule-cascade = sie werden mit gelöscht
rule-set-null = sie verweisen dann auf nichts
rule-restrict = sie verbieten es

# Records in depth.
problem-forbidden = Das dürfen Sie nicht. Bitten Sie eine Administratorin oder einen Administrator des Projekts um das Recht.
choose = Auswählen
choose-one = Datensatz { $key } auswählen
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
    [one] ein Datensatz wird endgültig gelöscht.
   *[other] { $count } Datensätze werden endgültig gelöscht.
}
bulk-delete-run = { $count ->
    [one] Einen Datensatz löschen
   *[other] { $count } Datensätze löschen
}
bulk-references = Anderswo können sich Datensätze auf diese beziehen:
bulk-references-shown = ({ $count } davon beziehen sich auf die hier gezeigten)
bulk-rule-cascade = die es tun, werden mitgelöscht.
bulk-rule-set-null = die es tun, beziehen sich danach auf nichts.
bulk-rule-restrict = die es tun, verhindern es, und nichts wird gelöscht.
bulk-other-number = Inzwischen passen andere Datensätze als in der Vorschau. Nichts wurde geändert; sehen Sie sich die neue Vorschau an.
bulk-changed = { $count ->
    [one] Ein Datensatz wurde geändert.
   *[other] { $count } Datensätze wurden geändert.
}
bulk-deleted = { $count ->
    [one] Ein Datensatz wurde gelöscht.
   *[other] { $count } Datensätze wurden gelöscht.
}
export = Exportieren
export-what = Alle Datensätze dieser Liste, auf allen Seiten.
export-csv-shown = CSV, die gezeigten Spalten
export-csv-all = CSV, alle Spalten
export-ndjson-shown = JSON-Zeilen, die gezeigten Spalten
export-ndjson-all = JSON-Zeilen, alle Spalten
import = Importieren
columns-gone = Diese Spalten gibt es nicht mehr, sie wurden ausgelassen: { $names }
columns-remember = Ab jetzt diese zuerst zeigen
columns-forget = Meine Auswahl der Spalten vergessen
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
filters-shown = Nur Datensätze, bei denen gilt:
filters-search = ein Feld enthält
filters-other = ein Baum von Bedingungen
filters-either = und entweder
filters-or = oder
filters-none = Alle zeigen
filter-edit = Diesen Filter ändern
filter-change = Filter ändern
filter-from = Von
filter-to = Bis
filter-lines = Werte, einer in jeder Zeile
filter-group = Gilt
filter-group-all = immer, neben allen anderen
filter-group-one = in Möglichkeit { $number }
filter-group-new = in einer weiteren Möglichkeit
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
import-no-head = Die Datei hat keine Zeile mit den Namen ihrer Spalten.
import-mapping = Was aus den Spalten wird
import-column = Spalte
import-values = Erste Werte
import-becomes = Wird zum Feld
import-becomes-of = Feld für { $column }
import-leave-out = — ausgelassen —
import-empty = Eine leere Zelle ist NULL, wo das Feld es erlaubt, sonst der leere Text.
import-on-conflict = Datensätze ändern mit denselben Werten in
import-on-conflict-hint = Eindeutige Felder, durch Kommas getrennt. Leer: jede Zeile wird ein neuer Datensatz.
import-run = Importieren
import-try = Versuchen, ohne etwas zu behalten
import-progress = Wie viel der Datei gelesen ist
import-running = Der Import läuft.
import-tried = Versucht; nichts wurde behalten.
import-done = Importiert.
import-cancelled = Der Import wurde beendet.
import-failed = Der Import kann nicht weitergehen.
import-did = { $read } Zeilen gelesen: { $made } neue Datensätze, { $updated } geändert, { $refused } zurückgewiesen.
import-would = { $read } Zeilen gelesen: { $made } würden neue Datensätze, { $updated } geändert, { $refused } zurückgewiesen.
import-refused = Zurückgewiesene Zeilen
import-refused-file = Alle zurückgewiesenen Zeilen als Datei
import-row = Zeile
import-content = Inhalt
import-cancel = Import beenden
import-resume = Weitermachen
import-another = Eine weitere Datei importieren
value-open = Ansehen, speichern oder ersetzen
value-save = Als Datei speichern
value-back = Zurück zum Datensatz
value-replace = Durch eine Datei ersetzen
value-replace-run = Ersetzen
value-null = Auf NULL setzen
value-beginning = die ersten { $count } Bytes
value-changed = Inzwischen hat jemand den Datensatz geändert, deshalb wurde nichts ersetzt. Sehen Sie ihn sich noch einmal an.
pick = Wählen …
pick-search = Name oder Schlüssel in { $model }
pick-found = Gefundene Datensätze
pick-back = Zurück, ohne zu wählen
cell-open = Ganzer Datensatz
cell-only = Nur dieser Wert
cell-not = Nicht dieser Wert
cell-same = Listen nach den Werten dieses Datensatzes
pick-partly = Alle Datensätze zu durchsuchen dauert länger. Tippen Sie weiter, oder wählen Sie auf einer eigenen Seite.
bulk-other-values = Die Werte sind nicht die der Vorschau. Nichts wurde geändert; sehen Sie sich die neue Vorschau an.
