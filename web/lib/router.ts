import { computed, signal } from '@preact/signals'
import { addressOf, pathBelowBase } from './base.ts'

interface RouteLocation {
  /** Below the base path, beginning with a slash. */
  path: string
  query: URLSearchParams
}

function here(): RouteLocation {
  return { path: pathBelowBase(location.href), query: new URLSearchParams(location.search) }
}

const place = signal(here())

/** Current path, below the base path. */
export const path = computed(() => place.value.path)

/** Query of the current address. */
export const query = computed(() => place.value.query)

addEventListener('popstate', () => {
  place.value = here()
})

/** Opens a path of the pages, such as `/app/import`; `isReplaced` replaces the current history entry. */
export function goTo(target: string, { isReplaced = false }: { isReplaced?: boolean } = {}): void {
  const address = addressOf(target)
  if (isReplaced) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  const isOther = place.value.path !== pathBelowBase(location.href)
  place.value = here()
  if (isOther && !isReplaced) scrollTo(0, 0)
}

/** Changes query parameters of the current address; removes empty and undefined ones. */
export function setQuery(
  changes: Record<string, string | undefined>,
  { isReplaced = true }: { isReplaced?: boolean } = {},
): void {
  const next = new URLSearchParams(place.value.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  goTo(`${place.value.path}${text === '' ? '' : `?${text}`}`, { isReplaced })
}

/** Follows links between pages without reloading the document. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (
      link === null ||
      link.origin !== location.origin ||
      link.target !== '' ||
      link.hasAttribute('download')
    )
      return
    const target = pathBelowBase(link.href)
    if (target !== '/' && !/^\/app(\/|$)/.test(target)) return
    event.preventDefault()
    goTo(target + link.search)
  })
}

/**
 * Returns the values of the `:names` in a pattern such as `/app/layers/:layer`; undefined if the path does
 * not match.
 */
export function matchPath(pattern: string, actual: string): Record<string, string> | undefined {
  const requested = pattern.split('/')
  const given = actual.replace(/\/$/, '').split('/')
  if (actual !== '/' && requested.length !== given.length) return undefined
  if (actual === '/') return pattern === '/' ? {} : undefined
  const found: Record<string, string> = {}
  for (const [index, part] of requested.entries()) {
    const text = given[index] ?? ''
    if (part.startsWith(':')) {
      if (text === '') return undefined
      found[part.slice(1)] = decode(text)
    } else if (part !== text) return undefined
  }
  return found
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
