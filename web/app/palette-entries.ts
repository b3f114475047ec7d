import { call } from '../api/client.ts'
import type { Calls } from '../api/openapi.d.ts'
import { hasPage } from '../lib/known-pages.ts'
import { goTo } from '../lib/router.ts'
import { messages } from '../messages/messages.ts'
import { paletteTexts } from '../messages/palette/texts.ts'
import { isStaff, session } from '../session/session.ts'
import { toggleLanguage, toggleTheme } from './appearance.ts'
import { isEnough, titleOf } from './page-view.tsx'
import { pages } from './pages.ts'

/** Something that the palette leads to, or does. */
export interface Entry {
  id: string
  kind: 'act' | 'page' | 'import' | 'layer'
  icon: string
  text: string
  /** Distinguishes entries with the same name. */
  more?: string
  run(): void
}

const maxLayers = 20
const maxImports = 50

function goingTo(path: string): () => void {
  return () => goTo(path)
}

/** The pages that need nothing to be named, as far as the caller may see them. */
export function pageEntries(): Entry[] {
  return pages
    .filter(({ pattern, needs }) => !pattern.includes(':') && (needs === undefined || isEnough(needs)))
    .filter(({ pattern }) => pattern !== '/app/sign-in' && pattern !== '/app/map')
    .map((page) => ({
      id: `page ${page.pattern}`,
      kind: 'page',
      icon: page.nav?.icon ?? 'right',
      text: titleOf(page),
      run: goingTo(page.pattern),
    }))
}

/** Returns the actions available on every page. */
export function actEntries(): Entry[] {
  const { acts } = paletteTexts.value
  const role = session.value?.role
  const to = (name: keyof typeof acts, icon: string, page: string, path = page): Entry[] =>
    hasPage(page) ? [{ id: `act ${name}`, kind: 'act', icon, text: acts[name], run: goingTo(path) }] : []
  const does = (name: keyof typeof acts, icon: string, run: () => void): Entry => ({
    id: `act ${name}`,
    kind: 'act',
    icon,
    text: acts[name],
    run,
  })
  return [
    ...(isStaff.value ? to('import', 'upload', '/app/import') : []),
    ...(isStaff.value ? to('workspace', 'plus', '/app/workspaces', '/app/workspaces?new=1') : []),
    ...(isStaff.value ? to('store', 'plus', '/app/stores', '/app/stores?new=1') : []),
    ...(role === 'admin' ? to('user', 'plus', '/app/users', '/app/users?new=1') : []),
    ...(role === undefined ? to('signIn', 'user', '/app/sign-in') : to('token', 'key', '/app/account')),
    does('theme', 'sun', toggleTheme),
    does('language', 'globe', toggleLanguage),
  ]
}

/** Returns the best layers that the server finds for the words. */
export async function layerEntries(words: string, signal: AbortSignal): Promise<Entry[]> {
  const query = { q: words, limit: maxLayers }
  type Reply = Calls['GET /rest/catalogue/layers']['answer']
  const { layers } = await call<Reply>({ path: '/rest/catalogue/layers', query }, signal)
  return layers.map(({ workspace, name, title }) => {
    const qualified = name.includes(':') ? name : `${workspace}:${name}`
    const run = goingTo(`/app/layers/${encodeURIComponent(qualified)}`)
    return { id: `layer ${qualified}`, kind: 'layer', icon: 'layers', text: title, more: qualified, run }
  })
}

/** The latest imports, for staff. */
export async function importEntries(signal: AbortSignal): Promise<Entry[]> {
  if (!isStaff.value || !hasPage('/app/imports/:id')) return []
  type Reply = Calls['GET /rest/imports']['answer']
  const reply = await call<Reply>({ path: '/rest/imports', query: { limit: maxImports } }, signal)
  return reply.imports.map(({ id, state, targetWorkspace }) => ({
    id: `import ${id}`,
    kind: 'import',
    icon: 'upload',
    text: paletteTexts.value.import(id),
    more: [state, targetWorkspace?.workspace.name].filter((one) => one !== undefined).join(', '),
    run: goingTo(`/app/imports/${id}`),
  }))
}

/** Those that have every word, in what they are called or what kind they are. */
export function matching(entries: readonly Entry[], words: string): Entry[] {
  const requested = fold(words).split(/\s+/).filter(Boolean)
  const { kinds } = paletteTexts.value
  return entries.filter(({ text, more = '', kind }) => {
    const all = fold(`${text} ${more} ${kinds[kind]}`)
    return requested.every((word) => all.includes(word))
  })
}

function fold(text: string): string {
  return text.toLocaleLowerCase(messages.value.locale).normalize('NFD').replace(/\p{M}/gu, '')
}
