import type { Link } from '../documents.ts'
import type { Shown } from '../html-page.ts'
import { linkHref } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'

/** Renders links to the next and previous page; on a page with two such lists only one is a landmark. */
export function nextLinks(links: readonly Link[], shown: Shown, { isSecond = false } = {}): Markup {
  const { items: texts } = shown.texts
  const link = (rel: 'prev' | 'next'): Markup | undefined => {
    const found = links.find((one) => one.rel === rel)
    return (
      found &&
      html`<a class="btn sm" rel="${rel} nofollow" href="${withoutForm(linkHref(shown, found))}">${texts[rel]}</a>`
    )
  }
  const [prev, next] = [link('prev'), link('next')]
  if (prev === undefined && next === undefined) return html``
  if (isSecond) return html`<div class="pages">${prev}${next}</div>`
  return html`<nav class="pages" aria-label="${texts.pages}">${prev}${next}</nav>`
}

/** Removes `f=html`, since the browser requests HTML by its `Accept` header. */
function withoutForm(href: string): string {
  return href.replace(/([?&])f=html(&|$)/, '$1').replace(/[?&]$/, '')
}
