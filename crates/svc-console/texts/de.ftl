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
filter-hint = Mehrere Werte werden mit Kommas getrennt. Bei „ist NULL“ und „ist leer“ ist der Wert true oder false.
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
lookup-isnull = ist NULL:
lookup-isempty = ist leer:
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

# Finding places, and keys.

find = Suchen
find-hint = Name eines Ortes oder einer Tabelle, oder Tabelle und Schlüssel
find-recent = Zuletzt offen
find-close = Schließen
find-records = Datensatz
find-nothing = Nichts passt. Geben Sie einen Teil eines Namens ein, oder den Namen einer Tabelle mit dem Schlüssel eines Datensatzes.
find-more = und { $count } weitere: geben Sie mehr vom Namen ein
find-away = { $name } antwortet nicht, daher fehlen die Tabellen daraus.
keys = Tasten
keys-close = Schließen, was offen ist
keys-search = Zur Suche
keys-cells = Zur nächsten Zelle
keys-row = Zur ersten oder letzten Zelle der Zeile
keys-ends = Zur ersten oder letzten Zelle der Tabelle
keys-open = Den Datensatz oder den Link der Zelle öffnen
keys-range = Mehrere Zellen wählen
keys-copy = Die Zellen kopieren
