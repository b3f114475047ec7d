import { addressOf } from './base.ts'

const known: Record<string, string> = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name=sheets]')?.content ?? '{}',
)
const loading = new Map<string, Promise<void>>()
/** Those that pages bring along. */
const ofPages = new Map<string, HTMLLinkElement>()
let shown: readonly string[] | undefined

/**
 * Loads the style sheet `web/styles/sheets/<name>.css`; resolves when it applies. A failed load is repeated
 * on the next call.
 */
export function loadSheet(name: string): Promise<void> {
  return load(name, () => undefined)
}

/** The same for a sheet of a page, which counts while the page is shown: pages name things alike. */
export function loadPageSheet(name: string): Promise<void> {
  return load(name, (element) => {
    ofPages.set(name, element)
    element.media = mediaOf(name)
  })
}

/** Activates these page style sheets, and deactivates all others. */
export function showPageSheets(names: readonly string[]): void {
  shown = names
  for (const [name, element] of ofPages) element.media = mediaOf(name)
}

/** Sheets loaded before any page is shown belong to the first page. */
function mediaOf(name: string): string {
  return shown === undefined || shown.includes(name) ? 'all' : 'not all'
}

function load(name: string, prepare: (element: HTMLLinkElement) => void): Promise<void> {
  const begun = loading.get(name) ?? link(name, prepare)
  loading.set(name, begun)
  return begun
}

function link(name: string, prepare: (element: HTMLLinkElement) => void): Promise<void> {
  const file = known[name]
  if (file === undefined) return Promise.reject(new Error(`There is no style sheet "${name}"`))
  return new Promise((resolve, reject) => {
    const element = document.createElement('link')
    element.rel = 'stylesheet'
    element.href = addressOf(`assets/${file}`)
    element.onload = () => resolve()
    element.onerror = () => {
      element.remove()
      ofPages.delete(name)
      loading.delete(name)
      reject(new Error(`The style sheet ${file} did not come`))
    }
    prepare(element)
    document.head.append(element)
  })
}
