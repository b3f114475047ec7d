import { pathBelowBase } from '../lib/base.ts'
import { loadPageAhead } from './page-view.tsx'

const signs = ['pointerover', 'focusin', 'touchstart'] as const

/** Pages whose links are pointed at are asked for before they are followed. */
export function loadAhead(root: HTMLElement): void {
  for (const sign of signs) root.addEventListener(sign, begin, { passive: true })
}

function begin({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a') : null
  if (link === null || link.origin !== location.origin) return
  const path = pathBelowBase(link.href)
  if (path === '/' || path.startsWith('/app/')) loadPageAhead(path)
}
