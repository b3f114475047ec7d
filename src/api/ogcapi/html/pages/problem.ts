import { heading } from '../fragments.ts'
import { signInPath } from '../frame.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { pathTo } from '../html-page.ts'
import { html } from '../markup.ts'

interface ProblemDocument {
  status: number
  code: string
  detail: string
}

/** A failure, in the words of the server, and what may be done. */
export function problemPage({ status, code, detail }: ProblemDocument, shown: Shown): HtmlPage {
  const { problem: texts, start } = shown.texts
  const title = texts.titles[status] ?? texts.other
  const isSignInDue = shown.user === undefined && (status === 401 || status === 404)
  return {
    title,
    description: title,
    above: [['/ogc', start]],
    body: html`${heading(title)}
<div class="stack"><div class="note bad" role="alert"><div><p dir="auto">${detail}</p><p class="small dim">${texts.code}: <code>${code}</code> (${status})</p></div></div>
<p class="row wrap gap4">${isSignInDue && html`<a class="btn main" href="${signInPath(shown)}">${texts.signIn}</a>`}<a class="btn" href="${pathTo(shown, '/ogc/collections')}">${texts.start}</a></p></div>`,
  }
}
