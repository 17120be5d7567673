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

# Seiten.
area-pages = Seiten
pages-read-only = Sie dürfen die Seiten lesen, aber nicht ändern. Fragen Sie eine Administratorin oder einen Administrator nach mehr.
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
pages-format = JSON anordnen
pages-save = Entwurf speichern
pages-saved = Als Entwurf gespeichert. Alle sehen ihn, sobald er veröffentlicht ist.
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
pages-copy-administrators = Nur Administratorinnen und Administratoren kopieren Seiten in andere Umgebungen.
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
diff-removed = entfernt
diff-added = hinzugefügt
diff-more = { $count ->
    [one] Eine weitere Zeile ist nicht gezeigt.
   *[other] { $count } weitere Zeilen sind nicht gezeigt.
}
