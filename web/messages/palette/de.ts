import type { PaletteTexts } from './en.ts'

export const de: PaletteTexts = {
  title: 'Alles durchsuchen',
  hint: 'Layer, Import, Seite oder Tätigkeit',
  nothing: (words) => `Nichts heißt „${words}“.`,
  kinds: { act: 'Tätigkeit', page: 'Seite', import: 'Import', layer: 'Layer' },
  acts: {
    import: 'Daten importieren',
    workspace: 'Neuer Arbeitsbereich',
    store: 'Neuer Speicher',
    user: 'Neuer Benutzer',
    token: 'Neuer Token',
    signIn: 'Anmelden',
    theme: 'Hell oder dunkel',
    language: 'English',
  },
  import: (id) => `Import ${id}`,
  keys: '↑ ↓ wählt, Enter geht hin, Esc schließt',
}
