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

# Anbindungen, Code, Zugänge.
area-integrations = Anbindungen
copy-text = Kopieren
copy-done = Kopiert
secret-once = Kopieren Sie es jetzt. Es wird nur dieses eine Mal gezeigt, und niemand kann es später nachsehen.
secret-shown-before = Das wurde schon angelegt, und der Text wurde dabei gezeigt. Wurde er nicht aufgehoben, widerrufen Sie es und legen Sie ein neues an.
credentials-name = Name
credentials-name-hint = Für Sie: wer oder was es benutzt.
credentials-begins = Beginnt mit
credentials-made = Angelegt
credentials-used = Zuletzt benutzt
credentials-never-used = nie benutzt
credentials-ends = Endet
credentials-never-ends = nie
credentials-over = abgelaufen
credentials-last-day = Letzter Tag
credentials-last-day-hint = Bleibt es leer, endet es nie.
credentials-unnamed = ohne Namen
credentials-revoke = Widerrufen
credentials-revoke-what = gilt sofort nicht mehr. Das lässt sich nicht rückgängig machen; was es noch benutzt, bekommt keine Antworten mehr.
credentials-was-revoked = widerrufen
credentials-revoked = Widerrufene zeigen
credentials-valid = Widerrufene verbergen
credentials-empty = Es gibt noch keine. Legen Sie eines für das Programm an, das es braucht.
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
integrations-token-usage = Das gibt die Struktur der Datenbank. Jede andere Anfrage hat denselben Header.
integrations-service-tokens = Service-Token
integrations-service-tokens-what = Ein Service-Token gibt einem Programm die Rechte eines Teams, mit dessen Regeln für Zeilen und Felder, und den HTTP-Proxy.
integrations-service-token-usage = Senden Sie es mit jeder Anfrage:
integrations-team = Team
integrations-team-hint = Das Programm darf, was Mitglieder dieses Teams dürfen.
integrations-keys = API-Schlüssel
integrations-keys-what = Die API-Schlüssel von Mitgliedern, die dieses Projekt erreichen. Jeder handelt als sein Konto.
integrations-keys-own = Legen Sie einen eigenen in Ihrem Profil an.
integrations-keys-exclude = Der Schlüssel gehört { $email }. In anderen Projekten gilt er weiter.
integrations-secrets = Geheimnisse
integrations-secrets-what = Schlüssel anderer Dienste. Der HTTP-Proxy sendet sie für Aufrufer, die sie nicht kennen, und nur an diese Hosts. Ein Wert wird nie wieder gezeigt.
integrations-secrets-empty = Kein Geheimnis ist gesetzt. Setzen Sie eines, um einen anderen Dienst aufzurufen, ohne Browsern dessen Schlüssel zu geben.
integrations-secret-set = Geheimnis setzen
integrations-secret-hint = Anfragen nennen es mit { "{-name-}" }. Ein Geheimnis mit demselben Namen wird ersetzt.
integrations-secret-delete = Das Geheimnis { $name } von { $resource } wird gelöscht. Anfragen des HTTP-Proxys, die es benutzen, schlagen danach fehl.
integrations-resource = Ressource
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
snippets = Code
snippets-what = Diese Anfragen geben, was die Seite zeigt. Sie brauchen ein Token von { $resource } in der Umgebung:
snippets-token = Token anlegen

# Verlauf, Rückgängig, Protokoll.
history = Verlauf
history-of-deleted = Verlauf von { $key }
history-deleted = Dieser Datensatz ist gelöscht. Machen Sie das Löschen unten rückgängig, um ihn wieder zu haben.
history-empty = Nichts hat diesen Datensatz über den Dienst geändert, oder sein Verlauf wurde entfernt.
history-created = Angelegt
history-changed = Geändert
history-removed = Gelöscht
history-before = Vorher
history-after = Nachher
history-cut = { $count ->
    [one] insgesamt ein Byte
   *[other] insgesamt { $count } Bytes
}
history-newest = Neueste
history-older = Ältere
history-unknown = Der Dienst endete, bevor er wusste, ob das geschehen ist.
history-without-values = Die Werte wurden nicht aufgehoben.
history-nothing = Kein Wert wurde geändert.
actor-account = Konto
actor-user = Benutzer
actor-api-key = API-Schlüssel
actor-static-token = Token
actor-service-token = Service-Token
actor-anonymous = niemand, der angemeldet war
actor-program = Kommandozeile
undo = Rückgängig
undone = Die Änderung wurde rückgängig gemacht.
undo-too-long = Zu lang, um rückgängig gemacht zu werden
undo-conflict = Der Datensatz wurde inzwischen wieder geändert, deshalb wurde nichts geschrieben. Die alten Werte stehen im Formular; was die Felder jetzt haben, steht darunter. Speichern Sie, um die alten Werte zurückzuholen.
deleted = Der Datensatz { $key } wurde gelöscht.
area-audit = Protokoll
audit-of-service = Protokoll aller Projekte
audit-when = Wann
audit-who = Wer
audit-what = Was
audit-where = Wo
audit-project = Projekt
audit-resource = Ressource
audit-model = Tabelle
audit-record = Datensatz
audit-records = Datensätze
audit-since = Seit
audit-until = Bis
audit-show = Zeigen
audit-all = Alle zeigen
audit-hint = Was: eine Gruppe wie records oder eine Handlung wie records.update. Seit und bis: ein Zeitpunkt oder eine Spanne wie 7d, 12h oder 30m.
audit-empty = Keine Zeile passt. Entfernen Sie einen Filter, oder gehen Sie weiter zurück.
audit-request = Anfrage
audit-status = Beantwortet mit
audit-outcome = Ausgang
audit-values = Werte
audit-no-values = Hiervon wurden keine Werte aufgehoben.

# Das Profil.
profile = Profil
language-name = Deutsch
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
profile-password-differs = Das neue Passwort wurde nicht zweimal gleich eingegeben. Nichts wurde geändert.
profile-email-new = Neue E-Mail-Adresse
profile-email-what = Ein Code wird an die neue Adresse gesendet. Nichts ändert sich, bis Sie ihn hier eingeben. Dann enden alle Sitzungen, und Sie melden sich mit der neuen Adresse an.
profile-email-send = Code senden
profile-email-sent = Ein Code ist unterwegs zur neuen Adresse. Geben Sie ihn unten ein.
profile-email-code = Code aus der Mail
profile-email-confirm = Adresse bestätigen
profile-email-changed = Die E-Mail-Adresse wurde geändert.
profile-sessions = Sitzungen
profile-sessions-what = Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen, und ändern Sie dann Ihr Passwort.
profile-sessions-end = Alle anderen beenden
profile-session-what = Browser oder Programm
profile-session-address = Von
profile-session-since = Seit
profile-session-this = Diese
profile-session-unknown = unbekannt
profile-session-end = Beenden
profile-session-ended = Die Sitzung ist beendet.
profile-keys = API-Schlüssel
profile-keys-what = Ein Programm mit einem API-Schlüssel handelt als Sie. Es hat nie mehr Rechte als Sie.
profile-key-new = Neuer API-Schlüssel
profile-key-all = alle Ihre, jetzt und später
profile-key-some = nur diese:
profile-key-usage = Das listet Ihre Projekte auf. Jede andere Anfrage hat denselben Header.

# Der Dienst.
service = Dienst
service-overview = Überblick
service-version = Version
service-nodes = Knoten
service-node = Maschine
service-since = Läuft seit
service-seen = Zuletzt gesehen
service-databases = Datenbanken
service-database = Datenbank
service-databases-empty = Keine Datenbank ist verbunden.
service-states = Zustände ansehen
service-mails = Mails
service-mails-what = Mails, die darauf warten, gesendet zu werden. Ohne Mailserver warten sie hier, bis jemand sie mit svc mail liest.
service-mails-empty = Keine Mail wartet.
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
service-source-default = Voreinstellung
service-signing = Signaturschlüssel
service-signing-what = Er signiert die Zugriffstoken aller, die angemeldet sind.
service-signing-rotate = Signaturschlüssel wechseln
service-signing-question = Von jetzt an signiert ein neuer Schlüssel. Token des Schlüssels davor gelten, bis sie ablaufen, höchstens einen Tag.
service-signing-now = Diese Token jetzt beenden, wie nach einem Leck. Alle bleiben angemeldet; Programme erneuern ihre Token.
service-signing-done = Jetzt signiert der Schlüssel { $key }.
