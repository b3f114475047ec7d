import type { HtmlPage, Shown } from './html-page.ts'
import { basePathOf, fileAt, hereWith, pathTo } from './html-page.ts'
import { languages } from './language.ts'
import type { Markup } from './markup.ts'
import { dataBlock, html } from './markup.ts'
import { textsIn } from './messages/texts.ts'

const maxTitle = 200

/** The whole document of a page. */
export function framed(page: HtmlPage, shown: Shown): string {
  const { language, texts } = shown
  return html`<!doctype html>
<html lang="${language}">
<head>${headOf(page, shown)}</head>
<body class="ogc">
<a class="skip" href="#content">${texts.skip}</a>
${header(shown)}
<main id="content" tabindex="-1">
${crumbs(page, shown)}
${page.body}
</main>
${footer(shown)}
</body>
</html>
`.text
}

function headOf({ title, description, data, isListed = false }: HtmlPage, shown: Shown): Markup {
  const { files, forms, path } = shown
  return html`<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>${cut(title, maxTitle)} · Terrane</title>
<meta name="description" content="${cut(description, maxTitle + 100)}"/>
${!isListed && html`<meta name="robots" content="noindex"/>`}
<link rel="canonical" href="${shown.link(path)}"/>
<link rel="icon" href="data:,"/>
${languages.map((one) => html`<link rel="alternate" hreflang="${one}" href="${languageHref(shown, one)}"/>`)}
${forms.map((one) => html`<link rel="alternate" type="${one.type}" title="${one.name}" href="${one.href}"/>`)}
${files.styles.map((name) => html`<link rel="stylesheet" href="${fileAt(shown, name)}"/>`)}
${files.script !== undefined && html`<script type="module" src="${fileAt(shown, files.script)}"></script>`}
${data !== undefined && dataBlock('application/ld+json', data)}`
}

function languageHref(shown: Shown, lang: string): string {
  return new URL(hereWith(shown, { lang }), shown.link('/')).href
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

const mark = html`<svg viewBox="0 0 26 26" aria-hidden="true" class="mk"><path class="mk-a" d="M2 4.5 13.6 2l1.1 4.6-3.2 4.6 2.7 4.1-2 4.1 1.5 4.6H2z"/><path class="mk-b" d="M16.1 2.6 24 6.4v12.9l-7.7 3.6-1.3-3.6 2-4.1-2.7-4.1 3.2-4.5z"/></svg>`

function header(shown: Shown): Markup {
  const { texts, language, user, path } = shown
  const isHere = (start: string): boolean => path === start || path.startsWith(`${start}/`)
  return html`<header class="top">
<a class="brand" href="${basePathOf(shown)}/">${mark}<span>Terrane</span></a>
<nav class="nav" aria-label="${texts.nav.main}">
<a href="${pathTo(shown, '/ogc/collections')}"${current(isHere('/ogc/collections'))}>${texts.collections.title}</a>
<a href="${pathTo(shown, '/ogc/api')}"${current(isHere('/ogc/api'))}>${texts.start}</a>
</nav>
<div class="end">
<nav class="languages" aria-label="${texts.nav.language}">${languages.map(
    (one) =>
      html`<a href="${hereWith(shown, { lang: one })}" hreflang="${one}" lang="${one}"${current(one === language)}>${textsIn(one).name}</a>`,
  )}</nav>
${user === undefined ? html`<a class="btn sm" href="${signInPath(shown)}">${texts.problem.signIn}</a>` : html`<bdi class="who cut">${user}</bdi>`}
</div>
</header>`
}

/** Returns the sign-in page that leads back to this page. */
export function signInPath(shown: Shown): string {
  const here = hereWith(shown, {}).slice(basePathOf(shown).length)
  return `${basePathOf(shown)}/app/sign-in?to=${encodeURIComponent(here)}`
}

function current(is: boolean): Markup | false {
  return is && html` aria-current="true"`
}

function crumbs({ above }: HtmlPage, shown: Shown): Markup | false {
  if (above.length === 0) return false
  const steps = above.map(
    ([path, name], index) =>
      html`${index > 0 && html`<span aria-hidden="true">›</span>`}<a href="${pathTo(shown, path)}"><bdi>${name}</bdi></a>`,
  )
  return html`<nav class="crumb" aria-label="${shown.texts.nav.path}">${steps}</nav>`
}

function footer({ forms, texts, version }: Shown): Markup {
  return html`<footer class="foot forms">
${
  forms.length > 0 &&
  html`<span>${texts.formats}</span>${forms.map((one) => html`<a href="${one.href}" rel="nofollow">${one.name}</a>`)}`
}
<span class="made">Terrane ${version}</span>
</footer>`
}
