import { ownValue } from '../../../core/values/record-keys.ts'
import type { Link } from './documents.ts'
import type { Shown } from './html-page.ts'
import { basePathOf, linkHref } from './html-page.ts'
import type { Markup, Part } from './markup.ts'
import { html } from './markup.ts'

/** The title of a page with what is done there. */
export function heading(title: string, { lead, acts }: { lead?: Part; acts?: Part } = {}): Markup {
  return html`<div class="head"><div><h1 class="title" dir="auto">${title}</h1>${
    lead !== undefined && html`<p class="dim lead-in" dir="auto">${lead}</p>`
  }</div>${acts !== undefined && html`<div class="acts">${acts}</div>`}</div>`
}

/** A panel with a heading. */
export function panel(title: string, body: Part, { aside }: { aside?: Part } = {}): Markup {
  return html`<section class="panel"><header><h2>${title}</h2>${aside}</header><div class="body">${body}</div></section>`
}

/** A panel whose table fills it, and scrolls where it is wider. */
export function tablePanel(title: string, table: Markup, { aside }: { aside?: Part } = {}): Markup {
  return html`<section class="panel"><header><h2>${title}</h2>${aside}</header>${scrolling(title, table)}</section>`
}

/** Renders a scrollable region that is accessible by keyboard. */
export function scrolling(label: string, body: Part): Markup {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${body}</div>`
}

/** Renders names and values; omits empty values. */
export function facts(all: readonly (readonly [string, Part])[]): Markup {
  const output = all.filter(([, value]) => value !== undefined && value !== false && value !== '')
  return html`<dl class="kv">${output.map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl>`
}

/** The last word of a relation, which may be a URI. */
export function relationOf({ rel }: Link): string {
  return rel.split('/').at(-1) ?? rel
}

/** Relations that the frame of a page shows. */
const framed = new Set(['self', 'alternate', 'collection', 'next', 'prev', 'root', 'parent', 'up'])

/** Renders the links of a document, each with a description of its relation. */
export function linkList(links: readonly Link[], shown: Shown): Markup {
  const { rels } = shown.texts
  const items = links
    .filter((one) => !framed.has(one.rel) && one.templated !== true)
    .map((one) => {
      const [name, meaning] = ownValue(rels, relationOf(one)) ?? []
      const isFile = one.rel === 'enclosure'
      return html`<li><a href="${linkHref(shown, one)}"><bdi>${isFile ? one.title : (name ?? one.title ?? one.rel)}</bdi></a>${
        meaning !== undefined && html`<span class="dim">${meaning}</span>`
      }</li>`
    })
  return html`<ul class="places">${items}</ul>`
}

/** A small picture of a layer, which the server draws. */
export function thumbnail(id: string, shown: Shown, [width, height]: readonly [number, number]): Markup {
  const path = `/tiles/${encodeURIComponent(id)}/thumbnail.webp?width=${width}&height=${height}`
  return html`<img src="${basePathOf(shown)}${path}" width="${width}" height="${height}" alt="" loading="lazy" decoding="async"/>`
}
