import { atRest } from '../lib/at-rest.ts'
import { pathBelowBase } from '../lib/base.ts'
import { session } from '../session/session.ts'
import { isEnough, loadPageAhead } from './page-view.tsx'
import { pages } from './pages.ts'

const pointing = ['pointerover', 'focusin', 'touchstart'] as const
const doing = ['pointermove', 'keydown', 'touchstart', 'wheel'] as const

/** Pages whose links are pointed at are asked for before they are followed; those that are near, as soon as somebody does something. */
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

/** The pages of the navigation and that of a layer, one after the other while nothing else is to be done. */
async function loadNear(): Promise<void> {
  if (isSparing()) return
  await whoIsKnown()
  for (const { pattern, nav, needs } of pages) {
    if (nav === undefined && pattern !== nearest) continue
    await atRest()
    if (needs === undefined || isEnough(needs)) await loadPageAhead(pattern)
  }
}

/** What most go to from the catalogue. */
const nearest = '/app/layers/:layer'

/** Until it is known who is signed in, or that nobody is. */
function whoIsKnown(): Promise<void> {
  return new Promise((done) => {
    const stop = session.subscribe((who) => {
      if (who === undefined) return
      done()
      queueMicrotask(() => stop())
    })
  })
}

/** Whether the reader wants few bytes. */
function isSparing(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
}
