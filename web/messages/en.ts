import { formatNumber, pluralOf } from '../lib/numbers.ts'

const number = (value: number): string => formatNumber('en', value)
const count = (value: number, one: string, other: string): string =>
  `${number(value)} ${pluralOf('en', value) === 'one' ? one : other}`

/** English. Its shape is that of every language. */
export const en = {
  locale: 'en',
  skip: 'Skip to the content',
  nav: {
    main: 'Main',
    short: 'Main, short',
    catalogue: 'Catalogue',
    import: 'Import',
    usage: 'Usage',
    alerts: 'Alerts',
    manage: 'Manage',
  },
  shell: {
    theme: 'Light or dark',
    language: 'Deutsch',
    account: (name: string) => `Account of ${name}`,
    signIn: 'Sign in',
    signOut: 'Sign out',
    noPage: 'There is no such page.',
    home: 'To the catalogue',
  },
  state: {
    loading: 'Loading',
    failed: 'This could not be loaded.',
    again: 'Try again',
    shownAsOf: (time: string) => `Shown as of ${time}.`,
    offline: 'The server does not answer.',
    close: 'Close',
    copyAsCurl: 'Copy as curl',
    copied: 'Copied.',
  },
  signIn: {
    title: 'Sign in',
    hint: 'The first start of the server prints the password of admin in the terminal.',
    expired: 'Your session has ended. Sign in to go on; nothing on this page is lost.',
    user: 'User',
    password: 'Password',
    act: 'Sign in',
  },
  home: {
    title: 'Catalogue',
    importData: 'Import data',
    layers: (value: number) => `${count(value, 'layer', 'layers')}.`,
    rows: (value: number) => count(value, 'row', 'rows'),
    requests: (value: number) => `${count(value, 'request', 'requests')} in 30 days`,
    find: 'Find layers',
    findHint: 'Name, column, keyword',
    nothingFound: 'No layer has all these words',
    notPublic: 'Not public',
    withoutMap: 'Without a map',
    empty: 'No layers yet',
    emptyText:
      'Drop files, or choose where the data are. You see them on a map, with every column, before anything is saved.',
  },
}

/** Every text of the pages, in one language. */
export type Messages = typeof en
