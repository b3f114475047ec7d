import { createReadStream, statSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { defined } from '../../src/core/values/defined.ts'
import type { Cleanup } from './terrane-process.ts'
import { patienceMs } from './until.ts'
import { startWebServer } from './web-server.ts'

const modules = join(import.meta.dirname, '..', '..', 'node_modules')
/** Pictures of maps are as wide as a world of tiles of 512 pixels at zoom 0. */
export const pictureSize = 512
const types: Record<string, string> = {
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
}
const flags = [
  '--no-first-run',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]

/** Leaves the map alone in the picture. */
const bare =
  '.maplibregl-ctrl, .ol-control, .leaflet-control { display: none } .leaflet-container { background: #fff !important }'

/** A page that shows a map, opened in a browser without a window. */
export interface ShownMap {
  page: Page
  /** Errors and warnings of the browser or the page so far. */
  complaints: string[]
  /** Runs an expression in the page, once it is true-like, and gives it. */
  when<T>(expression: string): Promise<T>
  picture(): Promise<Buffer>
  close(): Promise<void>
}

/** A browser, and a web server from which pages come that are not ours. */
export interface MapBrowser {
  /** Origin of the pages, and another origin that serves the same pages. */
  origins: [string, string]
  /**
   * Opens a page, from an origin if one is given. Requests to `https://unpkg.com/` are served from
   * `node_modules`.
   */
  open(html: string, options?: { origin?: string; cookie?: string }): Promise<ShownMap>
}

/** Starts Chromium, which draws by software alone, and ends it after the test. */
export async function startBrowser(t: Cleanup): Promise<MapBrowser> {
  let pages = 0
  const origin = await startWebServer(t, (request, reply) => {
    const path = normalize(decodeURIComponent((request.url ?? '').split('?')[0] ?? ''))
    const file = join(modules, path.replace(/^\/unpkg\//, '').replace(/^([\w-]+)@[\d.]+\//, '$1/'))
    if (!path.startsWith('/unpkg/') || !statSync(file, { throwIfNoEntry: false })?.isFile())
      return reply.writeHead(path === '/favicon.ico' ? 204 : 404).end()
    reply.setHeader('access-control-allow-origin', '*')
    reply.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream')
    return createReadStream(file).pipe(reply)
  })
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
  t.after(() => {
    void browser.close()
  })
  const open: MapBrowser['open'] = async (text, { origin: from = origin, cookie } = {}) => {
    pages += 1
    const html = text.replaceAll('https://unpkg.com/', `${origin}/unpkg/`)
    return showPage(browser, { address: `${from}/page-${pages}.html`, html, ...defined({ cookie }) })
  }
  return { origins: [origin, origin.replace('127.0.0.1', 'localhost')], open }
}

async function showPage(
  browser: Browser,
  { address, html, cookie }: { address: string; html: string; cookie?: string },
): Promise<ShownMap> {
  const context = await browser.newContext({ viewport: { width: pictureSize, height: pictureSize } })
  const [name = '', value = ''] = cookie?.split('=') ?? []
  if (cookie !== undefined) await context.addCookies([{ name, value, url: address }])
  const page = await context.newPage()
  // The browser treats a page that no server sent as one from the internet, which may not access this
  // machine.
  await context.grantPermissions(['local-network-access'])

  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: html }))
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`))
  await page.goto(address)
  return {
    page,
    complaints,
    when: async <T>(expression: string) => {
      try {
        const handle = await page.waitForFunction(expression)
        return (await handle.jsonValue()) as T
      } catch (error) {
        throw new Error(`${expression}: ${complaints.join('\n')}`, { cause: error })
      }
    },
    picture: () => page.screenshot({ style: bare }),
    close: () => context.close(),
  }
}
