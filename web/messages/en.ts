/** English. Its shape is that of every language. */
export const en = {
  locale: 'en',
  skip: 'Skip to the content',
  nav: {
    main: 'Main',
    short: 'Main, short',
    catalogue: 'Catalogue',
    maps: 'Maps',
    import: 'Import',
    usage: 'Usage',
    alerts: 'Alerts',
    raised: ', raised: ',
    manage: 'Manage',
  },
  titles: {
    home: 'Catalogue',
    account: 'Account',
    imports: 'Imports so far',
    workspaces: 'Workspaces',
    stores: 'Stores',
    users: 'Users',
    report: 'Usage report',
  },
  shell: {
    theme: 'Light or dark',
    language: 'Deutsch',
    account: (name: string) => `Account of ${name}`,
    signIn: 'Sign in',
    signOut: 'Sign out',
    find: 'Search everything',
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
    copyByHand: 'The browser does not let this page copy. Copy this text:',
    copied: 'Copied.',
  },
  map: {
    title: 'Map',
    nearer: 'Nearer',
    farther: 'Farther',
    whole: 'Show all of it',
    before: 'The one before',
    after: 'The next one',
    which: (one: number, all: number) => `${one} of ${all}`,
    noValues: 'It has no values.',
  },
  signIn: {
    title: 'Sign in',
    hint: 'The first start of the server prints the password of admin in the terminal.',
    expired: 'Your session has ended. Sign in to go on; nothing on this page is lost.',
    user: 'User',
    password: 'Password',
    act: 'Sign in',
    code: 'One-time code',
    codeHint: 'From the app, or a recovery code.',
    by: (provider: string) => `Sign in with ${provider}`,
    failures: {
      'account-exists':
        'A user with this name exists already and is not linked to this account. Ask an administrator.',
      'user-switched-off': 'This user is switched off. Ask an administrator.',
      'provider-unavailable':
        'The sign-in provider cannot be asked at the moment. Local passwords still work.',
      'sign-in-expired': 'The sign-in took too long or was completed already. Begin again.',
    } as Record<string, string>,
    failed:
      'The sign-in did not succeed. Try again, or ask an administrator: the log of the server has the reason.',
  },
}

/** All texts of the pages in one language. */
export type Messages = typeof en
