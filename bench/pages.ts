import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Page } from 'playwright-core'
import { listInto } from '../tests/pages/support/crowd.ts'
import { type Scrolled, scrolled } from '../tests/pages/support/keyboard.ts'
import type { PageServer } from '../tests/pages/support/shown-pages.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../tests/pages/support/shown-pages.ts'
import { dataFile } from './data.ts'

// Pages in a browser: `npm run bench -- --only pages`.

const slower = 4
/** Time a user reads a page before opening the next one. */
const readMs = 1000
const home = 'nav.nav a[href="/"]'
/** Sequence of pages: the link to follow and the element to wait for. */
const followed = [
  ['workspaces', 'nav.nav a[href$="/app/workspaces"]', 'main td'],
  ['import', 'nav.nav a[href$="/app/import"]', '.drop'],
  ['alerts', 'nav.nav a[href$="/app/alerts"]', '.alist li'],
  ['home, again', home, '.card'],
  ['layer', '.card a', 'main h1.title'],
  ['home, after a map', home, '.card'],
  ['layer, again', '.card a', 'main h1.title'],
] as const
const listed = 10_000

interface PageTime {
  page: string
  milliseconds: number
}

/** Results of the page measurements. */
export interface PagesResults {
  /** Compressed by Brotli. */
  bundle: { milliseconds: number; firstBytes: number; allBytes: number }
  /** Until the page is usable, at a processor four times slower. */
  times: PageTime[]
  scrolls: (Scrolled & { what: string })[]
}

/**
 * Measures how long the set-up takes to bundle (including the start of Node), and the compressed size of the
 * bundle.
 */
async function runBundle(): Promise<PagesResults['bundle']> {
  const root = join(import.meta.dirname, '..')
  const folder = join(root, 'build', 'pages')
  rmSync(folder, { recursive: true, force: true })
  const begun = performance.now()
  const command = "import('./scripts/setup/pages.mjs').then(({ buildPages }) => buildPages(process.cwd()))"
  execFileSync(process.execPath, ['-e', command], { cwd: root, stdio: 'ignore' })
  const milliseconds = performance.now() - begun
  const files = readdirSync(join(folder, 'files'))
  const sizeOf = (name: string): number => {
    const packed = files.includes(`${name}.br`) ? `${name}.br` : name
    return statSync(join(folder, 'files', packed)).size
  }
  const plain = files.filter((name) => !/\.(?:br|gz)$/.test(name))
  const list = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as {
    entries: Record<string, { script: string; style: string }>
  }
  const { script = '', style = '' } = list.entries['main'] ?? {}
  const first = loadedWith(join(folder, 'files'), script)
  return {
    milliseconds,
    firstBytes: [...first, style].reduce((sum, name) => sum + sizeOf(name), 0),
    allBytes: plain.reduce((sum, name) => sum + sizeOf(name), 0),
  }
}

/** A script with those that it loads before it runs. */
function loadedWith(folder: string, script: string, known = new Set<string>()): Set<string> {
  if (known.has(script)) return known
  known.add(script)
  const text = readFileSync(join(folder, script), 'utf8')
  for (const [, name = ''] of text.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g))
    loadedWith(folder, name, known)
  return known
}

/** Measures the time from the request until an element appears on the first page. */
async function timeOfFirst(page: Page, url: string, shown: string): Promise<PageTime> {
  const begun = performance.now()
  await page.goto(url)
  await page.locator(shown).first().waitFor()
  return { page: 'home, first', milliseconds: performance.now() - begun }
}

/**
 * Measures the time from the click on a link until an element of its page appears and is painted, by the
 * clock of the page.
 */
async function timeOfNext(page: Page, name: string, link: string, shown: string): Promise<PageTime> {
  const milliseconds = await page.evaluate<number>(`new Promise((done) => {
    const link = document.querySelector(${JSON.stringify(link)})
    const begun = performance.now()
    const isThere = () => location.pathname === new URL(link.href).pathname && document.querySelector(${JSON.stringify(shown)}) !== null
    const seen = new MutationObserver(() => {
      if (!isThere()) return
      seen.disconnect()
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)))
    })
    seen.observe(document, { subtree: true, childList: true })
    link.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))
    link.click()
  })`)
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(readMs)
  return { page: name, milliseconds }
}

async function runTimes(server: PageServer): Promise<PageTime[]> {
  const works: (() => unknown)[] = []
  const shown = await showPages({ after: (work) => void works.push(work) }, server)
  const { page } = shown
  await shown.signIn('/')
  const control = await page.context().newCDPSession(page)
  await control.send('Emulation.setCPUThrottlingRate', { rate: slower })
  const times = [await timeOfFirst(page, server.url, '.card')]
  // A user moves the pointer while reading.
  await page.mouse.move(400, 400)
  await page.locator('link[href*=sheet-manage]').waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  for (const [name, link, target] of followed) times.push(await timeOfNext(page, name, link, target))
  for (const work of works) await work()
  return times
}

async function runListScrolls(server: PageServer): Promise<PagesResults['scrolls']> {
  await server.kill()
  await listInto(server.folder, listed)
  await server.start()
  const shown = await showPages({ after: () => undefined }, server)
  const found: PagesResults['scrolls'] = []
  for (const [what, path] of [
    [`cards of ${listed} layers`, '/'],
    [`list of ${listed} layers`, '/?view=list'],
  ] as const) {
    await shown.signIn(path)
    await shown.page.locator('main .card, main a.name').first().waitFor()
    found.push({ what, ...(await scrolled(shown.page)) })
  }
  await shown.close()
  return found
}

/** The table of rows of an import before it runs, and of the layer that it makes. */
async function runRowScroll(
  server: PageServer,
  folder: string,
  rows: number,
): Promise<PagesResults['scrolls']> {
  const file = await dataFile(folder, 'points', 'csv', rows)
  const requested = { import: { data: { type: 'file', file } } }
  const made = (await askServer(server, '/rest/imports', requested)) as { import: { id: number } }
  const preview = await scrollTable(server, `/app/imports/${made.import.id}`)
  const transforms = [{ type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }]
  const layer = { name: 'many', srs: 'EPSG:4326' }
  const task = { task: { layer, transformChain: { type: 'vector', transforms } } }
  await askServer(server, `/rest/imports/${made.import.id}/tasks/0`, task, 'PUT')
  await askServer(server, `/rest/imports/${made.import.id}`, {})
  const loaded = await scrollTable(server, '/app/layers/default:many')
  return [
    { what: `table of ${rows} rows before they are loaded`, ...preview },
    { what: `table of a layer of ${rows} rows`, ...loaded },
  ]
}

async function scrollTable(server: PageServer, path: string): Promise<Scrolled> {
  const shown = await showPages({ after: () => undefined }, server)
  await shown.signIn(path)
  const table = shown.page.locator('main .grid-scroll td, main .grid td').first()
  await table.waitFor()
  await shown.page.waitForLoadState('networkidle')
  await table.evaluate("(cell) => cell.closest('table').scrollIntoView({ block: 'center' })")
  const box = await table.boundingBox()
  const found = await scrolled(shown.page, box === null ? undefined : { x: box.x + 5, y: box.y + 5 })
  await shown.close()
  return found
}

/** Bundle, first and later pages, and long lists, in headless Chromium. */
export async function runPages(folder: string, rows: number): Promise<PagesResults> {
  const works: (() => unknown)[] = []
  mkdirSync(folder, { recursive: true })
  const bundle = await runBundle()
  try {
    const server = await startPageServer(
      { after: (work) => void works.push(work) },
      { TERRANE_IMPORT_ROOTS: folder },
    )
    const times = await runTimes(server)
    const scrolls = [...(await runRowScroll(server, folder, rows)), ...(await runListScrolls(server))]
    return { bundle, times, scrolls }
  } finally {
    for (const work of works) await work()
    await closeBrowser()
  }
}

/** The results as Markdown. */
export function pagesReport({ bundle, times, scrolls }: PagesResults): string {
  if (times.length === 0) return ''
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
  const lines = [
    '## Pages',
    '',
    `Bundled in ${bundle.milliseconds.toFixed(0)} ms. What every page loads: ${kilobytes(bundle.firstBytes)} by Brotli; all files: ${kilobytes(bundle.allBytes)}.`,
    '',
    `| page, at a processor ${slower} times slower | ms until it is usable |`,
    '|---|---:|',
    ...times.map(({ page, milliseconds }) => `| ${page} | ${milliseconds.toFixed(0)} |`),
    '',
    '| scrolled | longest task, ms | most rows drawn |',
    '|---|---:|---:|',
    ...scrolls.map(({ what, longestMs, rows }) => `| ${what} | ${longestMs.toFixed(0)} | ${rows} |`),
  ]
  return `${lines.join('\n')}\n`
}
