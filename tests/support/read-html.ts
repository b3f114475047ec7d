import { SaxesParser } from 'saxes'

/** Queries on an HTML page that the server has written. */
export interface ReadHtml {
  title: string
  language: string
  headings: string[]
  /** Targets of the links of the page, and URLs that the page loads. */
  links: string[]
  loaded: string[]
  /** Data for programs. */
  data: unknown[]
  /** Names of its elements. */
  elements: Set<string>
  text: string
}

/** Reads a page as XML, which its pages are too: throws where an element or an attribute is not closed. */
export function readHtml(html: string): ReadHtml {
  const page: ReadHtml = {
    title: '',
    language: '',
    headings: [],
    links: [],
    loaded: [],
    data: [],
    elements: new Set(),
    text: '',
  }
  const open: string[] = []
  let text = ''
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    text = ''
    open.push(name)
    page.elements.add(name)
    const { href, src, action, lang, rel = '' } = attributes as Record<string, string>
    if (name === 'html') page.language = lang ?? ''
    if (name === 'a' && href !== undefined) page.links.push(href)
    if (name === 'form' && action !== undefined) page.links.push(action)
    if (name === 'link' && href !== undefined && rel !== 'icon')
      (rel === 'stylesheet' ? page.loaded : page.links).push(href)
    if (src !== undefined) page.loaded.push(src)
    for (const attribute of Object.keys(attributes))
      if (/^on|^style$/.test(attribute)) throw new Error(`${name} has the attribute ${attribute}`)
  })
  parser.on('text', (one) => {
    text += one
    if (!open.includes('script')) page.text += one
  })
  parser.on('closetag', ({ name }) => {
    open.pop()
    if (name === 'title') page.title = text
    if (name === 'h1') page.headings.push(text)
    if (name === 'script' && text.trim() !== '') page.data.push(JSON.parse(text))
    text = ''
  })
  parser.write(html.replace(/^<!doctype html>\s*/i, '')).close()
  if (!/^<!doctype html>/.test(html)) throw new Error('It does not begin as HTML')
  return page
}
