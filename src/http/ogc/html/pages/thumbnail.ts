import type { Shown } from '../html-page.ts'
import { basePathOf } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'

/** A small picture of a layer, which the server draws. */
export function thumbnail(id: string, shown: Shown, [width, height]: readonly [number, number]): Markup {
  const path = `/tiles/${encodeURIComponent(id)}/thumbnail.webp?width=${width}&height=${height}`
  return html`<img src="${basePathOf(shown)}${path}" width="${width}" height="${height}" alt="" loading="lazy" decoding="async"/>`
}
