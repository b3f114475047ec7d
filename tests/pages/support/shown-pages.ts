import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import type { Cleanup, RunningProcess } from '../../support/terrane-process.ts'
import { startTerrane } from '../../support/terrane-process.ts'
import { closeAfterLastFile } from '../../support/test-file-hooks.ts'
import { patienceMs } from '../../support/until.ts'

export const password = 'pages-are-looked-at'
const axe = readFileSync(join(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8')
const flags = [
  '--no-first-run',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
  '--enable-unsafe-swiftshader',
  // No name is found but those of this machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** Server in a separate process, which can be killed and started again on the same data and port. */
export interface PageServer {
  url: string
  /** Its data directory. */
  folder: string
  kill(): Promise<void>
  start(): Promise<void>
}

const sampleLayers = 3

/** Starts a server with the sample layers, and waits until they are there and public. */
export async function startPageServer(t: Cleanup, env: Record<string, string> = {}): Promise<PageServer> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-pages-'))
  const works: (() => void)[] = []
  t.after(() => {
    for (const work of works) work()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  // A process that a test starts again lives as long as the first one.
  const untilTheEnd: Cleanup = { after: (work) => void works.push(work) }
  let running: RunningProcess | undefined
  let port = '0'
  const server: PageServer = {
    url: '',
    folder,
    kill: async () => {
      running?.signal('SIGKILL')
      await running?.ended
    },
    start: async () => {
      running = startTerrane(untilTheEnd, ['serve'], {
        TERRANE_DATA: folder,
        TERRANE_PORT: port,
        TERRANE_ADMIN_PASSWORD: password,
        TERRANE_LOG: 'error',
        ...env,
      })
      const line = await running.line(/http:\/\/127\.0\.0\.1:\d+/)
      server.url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ''
      port = new URL(server.url).port
    },
  }
  await server.start()
  if (env['TERRANE_SAMPLE'] !== 'off') await untilLayers(server, sampleLayers)
  return server
}

const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

/** Requests JSON from the server as `admin`; with a body the default method is POST. */
export async function askServer(
  { url }: Pick<PageServer, 'url'>,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<unknown> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const headers = { authorization, ...(body === undefined ? {} : { 'content-type': type }) }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const reply = await fetch(url + path, { method, headers, ...sent })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

async function untilLayers(server: PageServer, count: number): Promise<void> {
  const end = performance.now() + patienceMs
  for (;;) {
    const { total } = (await askServer(server, '/rest/catalogue/layers?public=true')) as { total: number }
    if (total >= count) return
    if (performance.now() > end) throw new Error(`${total} of ${count} layers after ${patienceMs} ms`)
    await sleep(50)
  }
}

export interface PageOptions {
  width?: 1440 | 768 | 390
  colorScheme?: 'light' | 'dark'
  locale?: 'en' | 'de'
  /** Default: UTC. */
  timezoneId?: string
  /** Time of the browser's clock, which then stands still; timers continue. */
  now?: number
}

/** Page in a separate browser context, as a user sees it. */
export interface ShownPage {
  page: Page
  /**
   * Faults without a visible effect: script errors, requests to other origins, violations of the content
   * security policy.
   */
  faults: string[]
  /** Goes to a path of the pages as `admin`, who has signed in before. */
  signIn(path?: string): Promise<void>
  /** Does the same through the form, as a user does. */
  signInByForm(path?: string): Promise<void>
  /** Goes to a path. */
  open(path: string): Promise<void>
  /** Returns the violations of WCAG 2.2 AA and of best practices that axe reports, one line each. */
  violations(): Promise<string[]>
  /** Elements that make the page wider than the window; empty where it is not. */
  wide(): Promise<string[]>
  close(): Promise<void>
}

let browser: Promise<Browser> | undefined

/** Opens a page of the server. The browser is started once for all test files of a process. */
export async function showPages(
  t: Cleanup,
  { url }: Pick<PageServer, 'url'>,
  { width = 1440, colorScheme = 'light', locale = 'en', timezoneId = 'UTC', now }: PageOptions = {},
): Promise<ShownPage> {
  browser ??= chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, chromiumSandbox: false })
  const started = await browser
  const context = await started.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    locale,
    timezoneId,
  })
  t.after(() => {
    // The browser may have gone before.
    context.close().catch(() => undefined)
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  if (now !== undefined) await page.clock.setFixedTime(now)
  const faults = watchFaults(context, page, new URL(url).origin)
  const open = async (path: string): Promise<void> => {
    await page.goto(url + path)
    await page.waitForSelector('main > *')
  }
  return {
    page,
    faults,
    open,
    signIn: async (path = '/') => {
      await context.addCookies(await sessionOf(context, url))
      const keep = `localStorage.setItem('terrane.signed-in', 'yes')`
      const isHere = `location.origin === '${new URL(url).origin}' && localStorage.getItem('terrane.signed-in') === null`
      if (page.url() === 'about:blank') await page.addInitScript(`if (${isHere}) ${keep}`)
      else await page.evaluate(keep)
      await open(path)
    },
    signInByForm: async (path = '/') => {
      await open(`/app/sign-in?to=${encodeURIComponent(path)}`)
      await page.fill('input[name=user]', 'admin')
      await page.fill('input[name=password]', password)
      await page.click('main button[type=submit]')
      await page.waitForURL(url + path)
    },
    violations: async () => {
      await page.evaluate(axe)
      return page.evaluate<string[]>(findViolations)
    },
    wide: () => page.evaluate(wideElements),
    close: () => context.close(),
  }
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

/** Sessions of `admin`, by the URL of the server. */
const sessions = new Map<string, Cookies>()

/** Returns the session of `admin` on a server: one for all tests of a file, as long as it is valid. */
async function sessionOf(context: BrowserContext, url: string): Promise<Cookies> {
  const place = `${url}/rest/security/session`
  const known = sessions.get(url)
  if (known !== undefined) {
    await context.addCookies(known)
    if ((await context.request.get(place, { timeout: patienceMs })).ok()) return known
  }
  const reply = await context.request.post(place, {
    data: { session: { name: 'admin', password } },
    timeout: patienceMs,
  })
  if (!reply.ok()) throw new Error(`${place}: ${reply.status()} ${await reply.text()}`)
  const cookies = await context.cookies(url)
  sessions.set(url, cookies)
  return cookies
}

/**
 * Evaluated in the page. A target partly covered by a bar of the window is scrolled away from the bar and
 * measured there.
 */
const findViolations = `(async () => {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']
  const place = [scrollX, scrollY]
  const isSmall = async ({ element }) => {
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    const rule = { type: 'rule', values: ['target-size'] }
    return (await axe.run(element, { runOnly: rule })).violations.length > 0
  }
  const lines = []
  const { violations } = await axe.run(document, { runOnly: tags, elementRef: true })
  for (const { id, nodes } of violations) {
    const told = []
    for (const node of nodes) if (id !== 'target-size' || (await isSmall(node))) told.push(node.html)
    if (told.length > 0) lines.push(id + ': ' + told.join(' '))
  }
  scrollTo(...place)
  return lines
})()`

/** Ends the browser when a test file is done, or after the last file of the process. */
export function closeBrowser(): Promise<void> {
  return closeAfterLastFile(endBrowser)
}

async function endBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

function watchFaults(context: BrowserContext, page: Page, origin: string): string[] {
  const faults: string[] = []
  // Listens to requests without intercepting them: interception would also disable the browser's cache.
  context.on('request', (request) => {
    const address = new URL(request.url())
    if (address.origin === origin || /^(?:data|blob):$/.test(address.protocol)) return
    faults.push(`asked elsewhere: ${address.href}`)
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|violates/.test(message.text())) faults.push(message.text())
  })
  return faults
}

/** Evaluated in the page. Elements that scroll may contain wide content. */
const wideElements = `(() => {
  if (document.documentElement.scrollWidth <= innerWidth) return []
  const scrolls = (element) => element !== null && (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement))
    .map((element) => element.outerHTML.slice(0, 100))
})()`
