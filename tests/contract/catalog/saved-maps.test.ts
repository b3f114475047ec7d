import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { configurationClient, publishPoints } from '../../support/configuration.ts'

type Headers = Record<string, string>
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const password = 'long-enough'
let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
  await createWorkspace('city')
  for (const name of ['trees', 'pipes', 'roads']) await publishPoints(terrane, 'city', name)
  assert.equal((await send('PUT', '/layers/city:trees', { layer: { public: true } })).statusCode, 200)
  for (const [name, role] of Object.entries({ anna: 'user', ben: 'user', chief: 'staff' }))
    assert.equal((await send('POST', '/security/users', { user: { name, password, role } })).statusCode, 201)
})
after(() => terrane.close())

const { send, createWorkspace } = configurationClient(() => terrane)
const as = (name: string): Headers => basicAuth(name, password)

function ask(method: Method, path: string, headers: Headers = {}, payload?: object) {
  return terrane.app.inject({ method, url: `/rest/maps${path}`, headers, ...(payload && { payload }) })
}

const layers = [
  { name: 'city:roads', opacity: 0.5, group: 'Base' },
  { name: 'city:trees', style: 'point', filter: 'pop > 5', visible: false },
]

async function save(name: string, headers: Headers, map: object = {}): Promise<void> {
  const reply = await ask('POST', '', headers, { map: { name, layers, ...map } })
  assert.equal(reply.statusCode, 201, reply.body)
}

const namesOf = (reply: { json(): { map: { layers: { name: string }[] } } }): string[] =>
  reply.json().map.layers.map(({ name }) => name)

describe('saved maps', () => {
  it('keep order, styles, opacities, filters, groups and the view', async () => {
    const view = { center: [11.5, 48.1], zoom: 9.25 }
    const created = await ask('POST', '', as('anna'), {
      map: { name: 'green', title: 'Bäume', layers, view, legend: false },
    })
    assert.equal(created.statusCode, 201, created.body)
    assert.match(String(created.headers.location), /\/rest\/maps\/green$/)
    const { map } = (await ask('GET', '/green', as('anna'))).json()
    assert.deepEqual(map.layers, [
      { name: 'city:roads', opacity: 0.5, visible: true, group: 'Base' },
      { name: 'city:trees', style: 'point', opacity: 1, visible: false, filter: 'pop > 5' },
    ])
    assert.deepEqual(
      { title: map.title, view: map.view, background: map.background, legend: map.legend, owner: map.owner },
      { title: 'Bäume', view, background: true, legend: false, owner: 'anna' },
    )
    assert.deepEqual({ public: map.public, omitted: map.omittedLayers }, { public: false, omitted: 0 })
    const changed = await ask('PUT', '/green', as('anna'), { map: { title: 'Trees' } })
    assert.equal(changed.json().map.title, 'Trees')
    assert.deepEqual(changed.json().map.view, view)
    assert.deepEqual(changed.json().map.layers, map.layers)
    const shorter = await ask('PUT', '/green', as('anna'), { map: { layers: [layers[1]] } })
    assert.deepEqual(namesOf(shorter), ['city:trees'])
    assert.equal(shorter.json().map.view, null, 'the view of other layers')
  })

  it('are seen by their owner and staff until they are public', async () => {
    await save('private', as('anna'))
    assert.equal((await ask('GET', '/private')).statusCode, 401)
    const other = await ask('GET', '/private', as('ben'))
    const missing = await ask('GET', '/nothing', as('ben'))
    assert.equal(other.statusCode, 404)
    assert.equal(other.body.replaceAll('private', 'nothing'), missing.body)
    assert.equal((await ask('PUT', '/private', as('ben'), { map: { title: 'x' } })).statusCode, 404)
    assert.equal((await ask('DELETE', '/private', as('ben'))).statusCode, 404)
    assert.equal((await ask('GET', '/private', as('chief'))).json().map.mayChange, true)
    const listed = async (headers?: Headers): Promise<string[]> =>
      (await ask('GET', '', headers)).json().maps.map(({ name }: { name: string }) => name)
    assert.ok(!(await listed(as('ben'))).includes('private'))
    assert.ok((await listed(as('anna'))).includes('private'))
    assert.equal((await ask('PUT', '/private', as('anna'), { map: { public: true } })).statusCode, 200)
    assert.deepEqual(await listed(), ['private'])
    assert.equal((await ask('GET', '/private', as('ben'))).json().map.mayChange, false)
    assert.equal((await ask('PUT', '/private', as('ben'), { map: { title: 'x' } })).statusCode, 403)
    assert.equal((await ask('DELETE', '/private', as('ben'))).statusCode, 403)
    assert.equal((await ask('DELETE', '/private', as('chief'))).statusCode, 200)
    assert.deepEqual(await listed(), [])
  })

  it('give no right to read a layer, and say that some are left out', async () => {
    await save('mixed', as('anna'), { public: true })
    const reply = await ask('GET', '/mixed')
    assert.deepEqual(namesOf(reply), ['city:trees'])
    assert.equal(reply.json().map.omittedLayers, 1)
    assert.equal(reply.json().map.note, '1 layer is not shown: deleted, or you may not read it')
    assert.ok(!reply.body.includes('roads'))
  })

  it('leave out layers that were deleted', async () => {
    await save('short', as('anna'), { layers: [{ name: 'city:pipes' }, { name: 'city:trees' }] })
    assert.equal((await send('DELETE', '/layers/city:pipes')).statusCode, 200)
    const reply = await ask('GET', '/short', as('anna'))
    assert.deepEqual(namesOf(reply), ['city:trees'])
    assert.equal(reply.json().map.omittedLayers, 1)
  })

  it('are changed by one person at a time', async () => {
    await save('shared', as('anna'))
    const { etag } = (await ask('GET', '/shared', as('anna'))).headers
    const match = { 'if-match': String(etag) }
    const first = await ask('PUT', '/shared', { ...as('anna'), ...match }, { map: { title: 'first' } })
    assert.equal(first.statusCode, 200)
    const second = await ask('PUT', '/shared', { ...as('anna'), ...match }, { map: { title: 'second' } })
    assert.equal(second.statusCode, 412)
    assert.equal((await ask('GET', '/shared', as('anna'))).json().map.title, 'first')
    const next = { 'if-match': String(first.headers.etag) }
    assert.equal((await ask('DELETE', '/shared', { ...as('anna'), ...next })).statusCode, 200)
  })

  it('refuse what is wrong, and save nothing of it', async () => {
    const wrong: [object, string][] = [
      [{}, 'invalid-body'],
      [{ name: '../x' }, 'invalid-name'],
      [{ name: 'a', layers: [{ name: 'city:none' }] }, 'unknown-layer'],
      [{ name: 'a', layers: [layers[0], layers[0]] }, 'invalid-body'],
      [{ name: 'a', layers: [{ name: 'city:trees', filter: 'pop >' }] }, 'invalid-filter'],
      [{ name: 'a', layers: [{ name: 'city:trees', filter: 'height > 5' }] }, 'invalid-filter'],
      [{ name: 'a', layers: [{ name: 'city:trees', opacity: 2 }] }, 'invalid-body'],
      [{ name: 'a', layers: Array.from({ length: 101 }, () => ({ name: 'city:trees' })) }, 'invalid-body'],
      [{ name: 'a', view: { center: [0, 100], zoom: 1 } }, 'invalid-body'],
    ]
    for (const [map, code] of wrong) {
      const reply = await ask('POST', '', as('ben'), { map })
      assert.equal(reply.statusCode, 400, reply.body)
      assert.equal(reply.json().code, code, reply.body)
    }
    assert.equal((await ask('GET', '/a', as('ben'))).statusCode, 404)
    await save('taken', as('anna'))
    assert.equal((await ask('POST', '', as('ben'), { map: { name: 'taken' } })).json().code, 'map-exists')
    assert.equal((await ask('POST', '', {}, { map: { name: 'b' } })).statusCode, 401)
  })

  it('stay without an owner when their owner is deleted', async () => {
    const user = { name: 'gone', password, role: 'user' }
    assert.equal((await send('POST', '/security/users', { user })).statusCode, 201)
    await save('orphan', as('gone'))
    assert.equal((await send('DELETE', '/security/users/gone')).statusCode, 200)
    assert.equal((await ask('GET', '/orphan', as('chief'))).json().map.owner, null)
    assert.equal((await ask('GET', '/orphan', as('ben'))).statusCode, 404)
  })
})
