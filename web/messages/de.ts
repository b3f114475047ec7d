import { formatNumber, pluralOf } from '../lib/numbers.ts'
import type { Messages } from './en.ts'

const number = (value: number): string => formatNumber('de', value)
const count = (value: number, one: string, other: string): string =>
  `${number(value)} ${pluralOf('de', value) === 'one' ? one : other}`

/** German. */
export const de: Messages = {
  locale: 'de',
  skip: 'Zum Inhalt springen',
  nav: {
    main: 'Hauptmenü',
    short: 'Hauptmenü, kurz',
    catalogue: 'Katalog',
    import: 'Import',
    usage: 'Nutzung',
    alerts: 'Alarme',
    manage: 'Verwalten',
  },
  shell: {
    theme: 'Hell oder dunkel',
    language: 'English',
    account: (name: string) => `Konto von ${name}`,
    signIn: 'Anmelden',
    signOut: 'Abmelden',
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
    copied: 'Kopiert.',
  },
  signIn: {
    title: 'Anmelden',
    hint: 'Der erste Start des Servers schreibt das Passwort von admin ins Terminal.',
    expired:
      'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren; auf dieser Seite geht nichts verloren.',
    user: 'Benutzer',
    password: 'Passwort',
    act: 'Anmelden',
  },
  home: {
    title: 'Katalog',
    importData: 'Daten importieren',
    layers: (value: number) => `${count(value, 'Ebene', 'Ebenen')}.`,
    rows: (value: number) => count(value, 'Zeile', 'Zeilen'),
    requests: (value: number) => `${count(value, 'Anfrage', 'Anfragen')} in 30 Tagen`,
    find: 'Ebenen finden',
    findHint: 'Name, Spalte, Schlagwort',
    nothingFound: 'Keine Ebene hat alle diese Wörter',
    notPublic: 'Nicht öffentlich',
    withoutMap: 'Ohne Karte',
    empty: 'Noch keine Ebenen',
    emptyText:
      'Dateien hierher ziehen oder angeben, wo die Daten liegen. Sie sehen sie auf einer Karte, mit jeder Spalte, bevor etwas gespeichert wird.',
  },
}
