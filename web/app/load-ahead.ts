import { atRest } from '../lib/at-rest.ts'
import { pathBelowBase } from '../lib/base.ts'
import { session } from '../session/session.ts'
import { isEnough, loadPageAhead } from './page-view.tsx'
import { pages } from './pages.ts'

const pointing = ['pointerover', 'focusin', 'touchstart'] as const
const doing = ['pointermove', 'keydown', 'touchstart', 'wheel'] as const

/** Preloads pages when the pointer is on their link, and nearby pages after the first interaction. */
export function loadAhead(root: HTMLElement): void {
  for (const sign of pointing) root.addEventListener(sign, begin, { passive: true })
  const first = (): void => {
    for (const sign of doing) root.removeEventListener(sign, first)
    void loadNear()
  }
  for (const sign of doing) root.addEventListener(sign, first, { passive: true })
}

function begin({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a') : null
  if (link === null || link.origin !== location.origin) return
  const path = pathBelowBase(link.href)
  if (path === '/' || path.startsWith('/app/')) void loadPageAhead(path)
}

/** Preloads the pages of the navigation and the layer page, one after the other while the browser is idle. */
async function loadNear(): Promise<void> {
  if (isSparing()) return
  await whoIsKnown()
  for (const { pattern, nav, needs } of pages) {
    if (nav === undefined && pattern !== nearest) continue
    await atRest()
    if (needs === undefined || isEnough(needs)) await loadPageAhead(pattern)
  }
}

/** The page most often opened from the catalogue. */
const nearest = '/app/layers/:layer'

/** Waits until the session is known. */
function whoIsKnown(): Promise<void> {
  return new Promise((done) => {
    const stop = session.subscribe((who) => {
      if (who === undefined) return
      done()
      queueMicrotask(() => stop())
    })
  })
}

/** True if the reader prefers reduced data. */
function isSparing(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
}
