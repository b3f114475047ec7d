export const en = {
  title: 'Search everything',
  hint: 'Layer, import, page or act',
  nothing: (words: string) => `Nothing is called “${words}”.`,
  kinds: { act: 'Act', page: 'Page', import: 'Import', layer: 'Layer' },
  acts: {
    import: 'Import data',
    workspace: 'New workspace',
    store: 'New store',
    user: 'New user',
    token: 'New token',
    signIn: 'Sign in',
    theme: 'Light or dark',
    language: 'Deutsch',
  },
  import: (id: number) => `Import ${id}`,
  keys: '↑ ↓ choose, Enter opens, Esc closes',
}

export type PaletteTexts = typeof en
