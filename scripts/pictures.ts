// Takes the screenshots in docs/pictures/ from a separate server with the sample data.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { feedPast } from '../tests/pages/support/counted.ts'
import type { PageServer } from '../tests/pages/support/shown-pages.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../tests/pages/support/shown-pages.ts'

const root = dirname(import.meta.dirname)
const folder = join(root, 'docs', 'pictures')
const quality = 72
const settleMs = 1500
/** A map with software rendering requests tiles after its style has loaded. */
const mapMs = 5000
const dayMs = 86_400_000

interface Collection {
  features: { properties: Record<string, unknown> }[]
}

/** A file such as a user would upload: the countries of Africa. */
function africa(): { name: string; mimeType: string; buffer: Buffer } {
  const text = readFileSync(join(root, 'sample', 'natural-earth', 'countries.geojson'), 'utf8')
  const all = JSON.parse(text) as Collection
  const features = all.features.filter(({ properties }) => Object.values(properties).includes('Africa'))
  const chosen = features.length > 0 ? features : all.features
  return {
    name: 'africa.geojson',
    mimeType: 'application/geo+json',
    buffer: Buffer.from(JSON.stringify({ ...all, features: chosen })),
  }
}

async function take(page: Page, name: string, { hasMap = false } = {}): Promise<void> {
  await page.waitForLoadState('networkidle')
  if (hasMap) {
    await page.locator('canvas.maplibregl-canvas').first().waitFor({ timeout: 60_000 })
    await page.waitForTimeout(mapMs)
    await page.waitForLoadState('networkidle')
    await page.locator('[data-drawn]').first().waitFor({ timeout: 60_000 })
  }
  await page.waitForTimeout(settleMs)
  const control = await page.context().newCDPSession(page)
  const { data } = await control.send('Page.captureScreenshot', { format: 'webp', quality })
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
  await control.detach()
  console.log(`docs/pictures/${name}.webp`)
}

async function importPictures(page: Page, server: PageServer): Promise<void> {
  await page.goto(`${server.url}/app/import`)
  await page.locator('.drop').waitFor()
  await page.setInputFiles('input[type=file]', africa())
  await page.getByRole('button', { name: 'Import 1 layer' }).waitFor()
  await take(page, 'look', { hasMap: true })
  await page.getByRole('button', { name: 'Import 1 layer' }).click()
  const link = page.getByRole('link', { name: 'Show the layer' }).first()
  await link.waitFor()
  await link.click()
  await page.locator('h1', { hasText: 'africa' }).waitFor()
  await take(page, 'layer', { hasMap: true })
}

/** A month of requests, more on working days, of three programs. */
function pastRequests() {
  const layers = ['countries', 'countries', 'boundary_lines', 'states', 'countries']
  const programs = ['QGIS', 'Firefox', 'Chrome', 'Firefox']
  const now = Date.now()
  const requests = Array.from({ length: 62 }, (_, day) => {
    const isFree = [0, 6].includes(new Date(now - day * dayMs).getUTCDay())
    return Array.from({ length: (isFree ? 180 : 620) + ((day * 70) % 130) }, (_unused, at) => ({
      time: now - day * dayMs - at * 90_000,
      more: {
        resources: [{ type: 'layer' as const, name: `default:${layers[(at + day) % 5] ?? ''}` }],
        ...(at % 31 === 0 ? { status: 503, errorType: 'StoreAway' } : { status: 200, errorType: null }),
        country: ['CHE', 'DEU', 'ITA', 'CHE'][at % 4] ?? 'CHE',
        userAgentFamily: programs[(at * 3 + day) % 4] ?? '',
      },
    }))
  })
  return requests.flat()
}

const works: (() => unknown)[] = []
try {
  mkdirSync(folder, { recursive: true })
  const server = await startPageServer({ after: (work) => void works.push(work) })
  await askServer(server, '/rest/workspaces', { workspace: { name: 'city', public: true } })
  await feedPast(server, { requests: pastRequests() })
  const { page, signIn } = await showPages({ after: () => undefined }, server)
  await signIn('/')
  await importPictures(page, server)
  for (const [name, path] of [
    ['home', '/'],
    ['usage', '/app/usage'],
    ['manage', '/app/stores'],
  ] as const) {
    await page.goto(server.url + path)
    await page.locator('main h1').first().waitFor({ state: 'attached' })
    await take(page, name)
  }
} finally {
  await closeBrowser()
  for (const work of works) await work()
}
