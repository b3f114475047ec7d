import type { Shown } from './html-page.ts'
import { countText, linkHref, localHref } from './html-page.ts'
import type { Markup } from './markup.ts'
import { html } from './markup.ts'

const maxItems = 200
const maxDepth = 6

/** Any value of a JSON document, so that people can read it. */
export function readableValue(value: unknown, shown: Shown, depth = 0): Markup {
  const { document } = shown.texts
  if (value === null || value === undefined) return html`<span class="dimmer">${document.nothing}</span>`
  if (typeof value === 'boolean') return html`${value ? document.yes : document.no}`
  if (typeof value === 'string') return textOf(value, shown)
  if (typeof value !== 'object') return html`${String(value)}`
  if (depth >= maxDepth) return html`<code>${JSON.stringify(value).slice(0, 200)}</code>`
  return Array.isArray(value) ? listOf(value, shown, depth) : readableFields(value, shown, depth)
}

/** Renders the members of an object as a list. */
export function readableFields(value: object, shown: Shown, depth = 0): Markup {
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  const rest = fields.length - maxItems
  return html`<dl class="kv">${fields
    .slice(0, maxItems)
    .map(
      ([name, one]) => html`<dt><bdi>${name}</bdi></dt><dd>${readableValue(one, shown, depth + 1)}</dd>`,
    )}</dl>${more(rest, shown)}`
}

function listOf(values: readonly unknown[], shown: Shown, depth: number): Markup {
  const { nothing } = shown.texts.document
  if (values.length === 0) return html`<span class="dimmer">${nothing}</span>`
  if (values.every((one) => typeof one === 'number')) return html`${values.slice(0, maxItems).join(', ')}`
  const items = values
    .slice(0, maxItems)
    .map((one) => html`<li>${isLink(one) ? linkOf(one, shown) : readableValue(one, shown, depth + 1)}</li>`)
  return html`<ul class="plain">${items}</ul>${more(values.length - maxItems, shown)}`
}

function more(count: number, shown: Shown): Markup | false {
  return count > 0 && html`<p class="dim">${shown.texts.document.more(countText(shown, count))}</p>`
}

interface LinkLike {
  href: string
  type?: string
  title?: string
  rel?: string
}

function isLink(value: unknown): value is LinkLike {
  return typeof value === 'object' && value !== null && 'href' in value && typeof value.href === 'string'
}

function linkOf(link: LinkLike, shown: Shown): Markup {
  const { href, title, rel } = link
  const name = title ?? rel ?? href
  return isWebAddress(href) && !/[{}]/.test(href)
    ? html`<a href="${linkHref(shown, link)}"><bdi>${name}</bdi></a>`
    : html`<bdi>${name}</bdi> <code>${href}</code>`
}

const longText = 400

/** Text of others; where it is an address, a link to it. */
function textOf(text: string, shown: Shown): Markup {
  if (isWebAddress(text) && text.length <= longText)
    return html`<a href="${localHref(shown, text)}" rel="nofollow noopener">${text}</a>`
  if (text.length <= longText) return html`<bdi>${text}</bdi>`
  return html`<details class="long"><summary dir="auto">${text.slice(0, longText)}…</summary><p dir="auto">${text}</p></details>`
}

/** True if the text is a plain web address. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
}
