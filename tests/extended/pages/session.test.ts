import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { PageServer, ShownPage } from '../../pages/support/shown-pages.ts'
import { askServer, closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'

const listing = readFileSync(join(import.meta.dirname, '../../../web/app/pages.ts'), 'utf8')

/** Records every response to the pages that is a refusal or a failure. */
function watchRefusals({ page }: ShownPage): string[] {
  const refused: string[] = []
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    if (response.status() < 400) return
    refused.push(`${response.request().method()} ${pathname}${search} ${response.status()}`)
  })
  return refused
}

/**
 * Imports a raster in addition to the sample layers, and creates an import that waits for its coordinate
 * columns.
 */
async function importMore(server: PageServer): Promise<void> {
  const raster = readFileSync(join(import.meta.dirname, '../../fixtures/raster/RGB.byte.tif'))
  for (const [name, bytes] of [
    ['numbers.csv', 'name,count\na,1\nb,2\n'],
    ['picture.tif', raster],
  ] as const) {
    const { import: made } = (await askServer(server, '/rest/imports', { import: {} })) as {
      import: { id: number }
    }
    const form = new FormData()
    form.set('filedata', new Blob([bytes]), name)
    const authorization = `Basic ${Buffer.from('admin:pages-are-looked-at').toString('base64')}`
    const place = `${server.url}/rest/imports/${made.id}`
    const sent = await fetch(`${place}/tasks`, { method: 'POST', headers: { authorization }, body: form })
    assert.ok(sent.ok, await sent.text())
    await fetch(place, { method: 'POST', headers: { authorization } })
  }
}

describe('an ordinary session with the pages', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  await importMore(server)
  const { layers } = (await askServer(server, '/rest/catalogue/layers')) as {
    layers: { workspace: string; name: string }[]
  }
  assert.equal(layers.length, 4)
  // A layer with features and a raster: the other sample layers have the same pages.
  const names = layers
    .filter(({ name }) => ['countries', 'picture'].includes(name))
    .map(({ workspace, name }) => `${workspace}:${name}`)
  assert.equal(names.length, 2, JSON.stringify(layers))
  const location = 'https://data.example.org/trees.gpkg'
  const source = { name: 'nightly', data: { type: 'remote', location }, target: { layer: 'trees' } }
  await askServer(server, '/rest/sources', { source })
  const withNames = (pattern: string): string[] => {
    if (pattern.includes(':source')) return [pattern.replace(':source', source.name)]
    if (pattern.includes(':layer')) return names.map((name) => pattern.replace(':layer', name))
    const ids = pattern.includes('/imports/') ? ['1', '3', '4'] : ['1']
    return ids.map((id) => pattern.replace(':id', id))
  }
  const paths = [...listing.matchAll(/pattern: '([^']+)'/g)]
    .map(([, pattern = '']) => pattern)
    .filter((pattern) => pattern !== '/app/sign-in')
    .flatMap((pattern) => (pattern.includes(':') ? withNames(pattern) : [pattern]))

  it('asks for nothing that is not there, on any page', async (t) => {
    const shown = await showPages(t, server)
    const refused = watchRefusals(shown)
    await shown.signIn('/')
    for (const path of paths) {
      await shown.open(path)
      await shown.page.waitForLoadState('networkidle')
    }
    assert.deepEqual(refused, [])
  })

  it('asks a visitor without a login for nothing that is refused', async (t) => {
    const shown = await showPages(t, server)
    const refused = watchRefusals(shown)
    for (const path of ['/', '/app/usage', '/app/map', '/embed/map', '/app/sign-in']) {
      await shown.open(path)
      await shown.page.waitForLoadState('networkidle')
    }
    assert.deepEqual(refused, [])
  })
})
