import type { Messages } from './en.ts'

/** German. */
export const de: Messages = {
  locale: 'de',
  skip: 'Zum Inhalt springen',
  nav: {
    main: 'Hauptmenü',
    short: 'Hauptmenü, kurz',
    catalogue: 'Katalog',
    maps: 'Karten',
    import: 'Import',
    usage: 'Nutzung',
    alerts: 'Alarme',
    raised: ', ausgelöst: ',
    manage: 'Verwalten',
  },
  titles: {
    home: 'Katalog',
    account: 'Konto',
    imports: 'Bisherige Importe',
    workspaces: 'Arbeitsbereiche',
    stores: 'Speicher',
    layerGroups: 'Layergruppen',
    sources: 'Quellen',
    newSource: 'Neue Quelle',
    users: 'Benutzer',
    groups: 'Gruppen',
    audit: 'Audit-Log',
    report: 'Zugriffsstatistik',
  },
  shell: {
    theme: 'Hell oder dunkel',
    language: 'English',
    account: (name: string) => `Konto von ${name}`,
    signIn: 'Anmelden',
    signOut: 'Abmelden',
    find: 'Alles durchsuchen',
    noPage: 'Diese Seite gibt es nicht.',
    home: 'Zum Katalog',
  },
  state: {
    loading: 'Wird geladen',
    failed: 'Das ließ sich nicht laden.',
    again: 'Noch einmal versuchen',
    shownAsOf: (time: string) => `Stand von ${time}.`,
    offline: 'Der Server antwortet nicht.',
    close: 'Schließen',
    copyAsCurl: 'Als curl kopieren',
    copyByHand: 'Der Browser lässt diese Seite nicht kopieren. Kopieren Sie diesen Text:',
    copied: 'Kopiert.',
  },
  map: {
    title: 'Karte',
    nearer: 'Näher',
    farther: 'Weiter weg',
    whole: 'Alles zeigen',
    before: 'Das davor',
    after: 'Das nächste',
    which: (one: number, all: number) => `${one} von ${all}`,
    noValues: 'Es hat keine Werte.',
  },
  seeAs: {
    title: 'Ansicht als',
    now: {
      anonymous: () => 'Sie sehen, was Personen ohne Anmeldung sehen.',
      user: (name: string) => `Sie sehen, was der Benutzer ${name} sieht.`,
      group: (name: string) => `Sie sehen, was Mitglieder der Gruppe ${name} sehen.`,
    },
    readOnly: 'Hier lässt sich nichts ändern.',
    stop: 'Zurück zur eigenen Ansicht',
  },
  signIn: {
    title: 'Anmelden',
    hint: 'Der erste Start des Servers schreibt das Passwort von admin ins Terminal.',
    expired:
      'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren; auf dieser Seite geht nichts verloren.',
    user: 'Benutzer',
    password: 'Passwort',
    act: 'Anmelden',
    code: 'Einmalcode',
    codeHint: 'Aus der App, oder ein Wiederherstellungscode.',
    passkey: 'Mit einem Passkey anmelden',
    noPasskey: 'Der Browser gab keinen Passkey: Es gibt keinen für diese Seite, oder es wurde abgebrochen.',
    passkeyExists: 'Dieses Gerät hat schon einen Passkey für diesen Benutzer.',
    by: (provider: string) => `Anmelden mit ${provider}`,
    failures: {
      'account-exists':
        'Ein Benutzer mit diesem Namen besteht schon und ist nicht mit diesem Konto verknüpft. Fragen Sie die Administration.',
      'user-switched-off': 'Dieser Benutzer ist gesperrt. Fragen Sie die Administration.',
      'provider-unavailable':
        'Der Anmeldedienst ist zurzeit nicht erreichbar. Lokale Passwörter funktionieren weiter.',
      'sign-in-expired':
        'Die Anmeldung hat zu lange gedauert oder war schon abgeschlossen. Beginnen Sie neu.',
    } as Record<string, string>,
    failed:
      'Die Anmeldung ist fehlgeschlagen. Versuchen Sie es erneut, oder fragen Sie die Administration: Der Grund steht im Protokoll des Servers.',
  },
}
