import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import type { Answer } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'
import { ask } from '../../support/version-client.ts'
import { importPoints, pointsJson } from '../../support/versioned-layers.ts'

const password = 'long-enough-password'

describe('quotas of a workspace', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await ask(server, 'POST', '/rest/workspaces', { workspace: { name: 'town' } })
    await ask(server, 'POST', '/rest/security/users', { user: { name: 'anna', password, role: 'user' } })
    const permission = { subject: { user: 'anna' }, resource: 'town', actions: ['manage'] }
    await ask(server, 'POST', '/rest/security/permissions', { permission })
    await importPoints(server, { workspace: 'town', name: 'trees' })
  })
  after(() => server.close())

  async function limit(quota: Record<string, number | 'none'>): Promise<void> {
    const changed = await ask(server, 'PUT', '/rest/workspaces/town', { workspace: { quota } })
    assert.equal(changed.status, 200, changed.text)
  }

  async function usage(): Promise<Record<string, { used: number; limit: number | null }>> {
    const { json } = await ask(
      server,
      'GET',
      '/rest/workspaces/town/usage',
      undefined,
      basicAuth('anna', password),
    )
    return json.usage as unknown as Record<string, { used: number; limit: number | null }>
  }

  /** Uploads points to a new import; returns its id. */
  async function uploaded(name: string, mode = 'CREATE'): Promise<number> {
    const client = clientOf(server)
    const created = await client.call('POST', '', {
      import: { targetWorkspace: { workspace: { name: 'town' } } },
    })
    const id = Number(created.json.import?.id)
    const sent = await client.upload(id, [{ name: `${name}.geojson`, content: pointsJson([['c', 5, 6]]) }])
    assert.equal(sent.status, 201, sent.text)
    await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: mode } })
    return id
  }

  function assertExceeded({ status, json, text }: Answer, kind: RegExp): void {
    assert.equal(status, 409, text)
    assert.equal(json.code, 'quota-exceeded')
    assert.match(String(json.detail), kind)
    assert.match(String(json.detail), /ask an administrator for a larger quota/)
  }

  it('are set by administrators, shown, and removed', async () => {
    const plain = (await ask(server, 'GET', '/rest/workspaces/town')).json.workspace
    assert.ok(plain !== undefined && !('quota' in plain))
    const own = { workspace: { quota: { layers: 1000 } } }
    const refused = await ask(server, 'PUT', '/rest/workspaces/town', own, basicAuth('anna', password))
    assert.equal(refused.status, 403, 'who manages the workspace does not set its limits')
    await limit({ layers: 7, bytes: 10_000_000 })
    await limit({ versions: 3 })
    const { quota } = (await ask(server, 'GET', '/rest/workspaces/town')).json.workspace ?? {}
    assert.deepEqual(quota, { bytes: 10_000_000, layers: 7, versions: 3 })
    const listed = (await ask(server, 'GET', '/rest/catalogue/workspaces')).json.workspaces
    assert.ok(JSON.stringify(listed).includes('"quota":{"bytes":10000000,"layers":7,"versions":3}'))
    const { bytes, layers, versions } = await usage()
    assert.deepEqual(
      [layers, versions],
      [
        { used: 1, limit: 7 },
        { used: 0, limit: 3 },
      ],
    )
    assert.ok(bytes !== undefined && bytes.used > 0 && bytes.limit === 10_000_000)
    await limit({ bytes: 'none', layers: 'none', versions: 'none' })
    const last = (await ask(server, 'GET', '/rest/workspaces/town')).json.workspace
    assert.ok(last !== undefined && !('quota' in last))
  })

  it('of layers refuse a run that would create one too many', async () => {
    await limit({ layers: 1 })
    const id = await uploaded('shrubs')
    assertExceeded(
      await ask(server, 'POST', `/rest/imports/${id}`),
      /may have 1 layers and has 1, and this needs 1 more/,
    )
    assert.equal((await ask(server, 'GET', '/rest/layers/town:shrubs')).status, 404)
    await importPoints(server, { workspace: 'town', name: 'trees', mode: 'REPLACE' })
    await limit({ layers: 'none' })
    await ask(server, 'POST', `/rest/imports/${id}`)
    assert.equal((await ask(server, 'GET', '/rest/layers/town:shrubs')).status, 200)
  })

  it('of layers fail the task of an import that runs by itself', async () => {
    await limit({ layers: 2 })
    const content = pointsJson([['c', 5, 6]])
    const begun = await server.app.inject({
      method: 'POST',
      url: '/rest/uploads',
      headers: {
        ...server.admin,
        'tus-resumable': '1.0.0',
        'upload-length': String(content.length),
        'upload-metadata': `filename ${Buffer.from('weeds.geojson').toString('base64')}`,
        'content-type': 'application/offset+octet-stream',
      },
      payload: content,
    })
    assert.equal(begun.statusCode, 201, begun.body)
    const upload = [String(begun.headers.location).split('/').at(-1)]
    const target = { targetWorkspace: { workspace: { name: 'town' } } }
    const made = await ask(server, 'POST', '/rest/imports?exec=true', {
      import: { ...target, data: { type: 'file', upload } },
    })
    const { json, text } = await ask(server, 'GET', `/rest/imports/${made.json.import?.id}?expand=3`)
    assert.equal(String(json.import?.tasks?.[0]?.state), 'ERROR', text)
    assert.match(String(json.import?.tasks?.[0]?.errorMessage), /may have 2 layers and has 2/)
    assert.equal((await ask(server, 'GET', '/rest/layers/town:weeds')).status, 404)
    await limit({ layers: 'none' })
  })

  it('of bytes refuse an upload before it begins', async () => {
    const { bytes } = await usage()
    await limit({ bytes: (bytes?.used ?? 0) + 10 })
    const created = await ask(server, 'POST', '/rest/imports', {
      import: { targetWorkspace: { workspace: { name: 'town' } } },
    })
    const id = Number(created.json.import?.id)
    const client = clientOf(server)
    assertExceeded(
      await client.upload(id, [{ name: 'a.geojson', content: pointsJson([['c', 5, 6]]) }]),
      /bytes and has \d+, and this needs \d+ more/,
    )
    const encode = (text: string): string => Buffer.from(text).toString('base64')
    const begin = (workspace: string) =>
      ask(server, 'POST', '/rest/uploads', undefined, {
        'tus-resumable': '1.0.0',
        'upload-length': '5000',
        'upload-metadata': `filename ${encode('a.geojson')},workspace ${encode(workspace)}`,
      })
    assertExceeded(await begin('town'), /bytes/)
    assert.equal((await begin('default')).status, 201)
    await limit({ bytes: 'none' })
  })

  it('of versions refuse replacing, restoring and editing', async () => {
    const { versions } = await usage()
    assert.equal(versions?.used, 1)
    await limit({ versions: 1 })
    const id = await uploaded('trees', 'REPLACE')
    assertExceeded(
      await ask(server, 'POST', `/rest/imports/${id}`),
      /1 previous versions of layers and has 1/,
    )
    assertExceeded(
      await ask(server, 'POST', '/rest/layers/town:trees/versions/1/restore'),
      /previous versions/,
    )
    const feature = { type: 'Feature', geometry: null, properties: { name: 'd' } }
    const headers = { 'content-type': 'application/geo+json' }
    assertExceeded(
      await ask(server, 'POST', '/ogc/collections/town:trees/items', feature, headers),
      /previous versions/,
    )
    await limit({ versions: 'none' })
    assert.equal(
      (await ask(server, 'POST', '/ogc/collections/town:trees/items', feature, headers)).status,
      201,
    )
  })
})
