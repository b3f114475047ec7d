import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { without } from '../../src/core/values/defined.ts'
import { runAtTerminal } from '../support/terminal.ts'
import type { Cleanup, Ended } from '../support/terrane-process.ts'
import { runTerrane, startTerrane, temporaryData } from '../support/terrane-process.ts'

const sample = join(import.meta.dirname, '..', '..', 'sample', 'natural-earth')
const password = 'e2e-password'
const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
const survey = 'id,name,latitude,longitude\n1,a,52.5,13.4\n2,b,48.1,11.5\n'

function settings(data: string): Record<string, string> {
  return {
    TERRANE_DATA: data,
    TERRANE_PORT: '0',
    TERRANE_ADMIN_PASSWORD: password,
    TERRANE_SAMPLE: 'off',
    TERRANE_LOG: 'warn',
  }
}

interface Server {
  url: string
  stop(): Promise<void>
}

async function startServer(t: Cleanup, data: string): Promise<Server> {
  const server = startTerrane(t, ['serve'], settings(data))
  const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
  return {
    url,
    stop: async () => {
      server.signal('SIGTERM')
      await server.ended
    },
  }
}

/** The server that the tests of this file share: each uses workspaces or layers of its own. */
let shared: Server
const cleanups: (() => void)[] = []

before(async () => {
  const t = { after: (work: () => void) => void cleanups.unshift(work) }
  shared = await startServer(t, temporaryData(t))
})
after(async () => {
  await shared.stop()
  for (const cleanup of cleanups) cleanup()
})

/** Runs a command against the shared server. */
function run(t: Cleanup, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  return runTerrane(t, [...args, '--url', shared.url], { TERRANE_PASSWORD: password, ...env })
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

async function itemsOf(url: string, layer: string, headers: Record<string, string>) {
  const answer = await fetch(`${url}/ogc/collections/${layer}/items`, { headers })
  return { status: answer.status, body: (await answer.json()) as { features?: { geometry: unknown }[] } }
}

describe('terrane import of data without geometry', () => {
  it('makes points where columns are named, a table where that is asked for, and nothing in silence', async (t) => {
    const data = temporaryData(t)
    const file = write(data, 'survey.csv', survey)

    const silent = await run(t, ['import', file, '--srs', 'EPSG:4326'])
    assert.equal(silent.code, 1, silent.stdout)
    assert.match(silent.stdout, /NO_GEOMETRY.*--lat latitude --lon longitude.*--table-only/)

    const noWorkspace = await run(t, ['import', file, '--table-only', '--workspace', 'city'])
    assert.equal(noWorkspace.code, 1)
    assert.match(noWorkspace.stdout, /"city" does not exist: --create-workspace makes it/)

    const points = await run(
      t,
      ['import', file, '--workspace', 'city', '--create-workspace', '--public'].concat(
        '--lat Latitude --lon longitude'.split(' '),
      ),
    )
    assert.equal(points.code, 0, points.stdout + points.stderr)
    const shown = await run(t, ['layers', 'show', 'city:survey'])
    assert.match(shown.stdout, /public +true/)
    const { body } = await itemsOf(shared.url, 'city:survey', { authorization })
    assert.deepEqual(body.features?.[0]?.geometry, { type: 'Point', coordinates: [13.4, 52.5] })

    const wrong = await run(t, ['import', file, '--lat', 'lt', '--lon', 'longitude'])
    assert.equal(wrong.code, 1)
    assert.match(wrong.stdout, /no column "lt": there are id, name, latitude, longitude/)

    const table = await run(t, ['import', file, '--table-only', '--json'])
    assert.equal(table.code, 0, table.stdout)
    const [task] = (JSON.parse(table.stdout) as { tasks: Record<string, unknown>[] }).tasks
    assert.deepEqual([task?.state, task?.loaded, task?.layer], ['COMPLETE', 2, 'survey'])
    const again = await run(t, ['import', file, '--mode', 'replace'])
    assert.equal(again.code, 0, `a table is replaced by a table without asking: ${again.stdout}`)
    const lost = await run(t, ['import', file, '--mode', 'append', '--workspace', 'city'])
    assert.equal(lost.code, 1, `points do not get rows without place in silence: ${lost.stdout}`)
  })

  it('takes projected coordinates, and a column that has the name of the geometry', async (t) => {
    const data = temporaryData(t)
    const file = write(data, 'wells.csv', 'location,rechtswert,hochwert\nyard,392000,5820000\n')
    const proposed = await run(t, ['import', file])
    assert.match(proposed.stdout, /--x rechtswert --y hochwert --srs EPSG:n/)
    const args = ['import', file, ...'--x rechtswert --y hochwert --srs EPSG:25833'.split(' ')]
    const { code, stdout } = await run(t, args)
    assert.equal(code, 0, stdout)
  })
})

describe('what terrane import tells', () => {
  it('shows every message, those of several files once', async (t) => {
    const data = temporaryData(t)
    for (const name of ['one', 'two'])
      for (const ending of ['shp', 'shx', 'prj'])
        copyFileSync(join(sample, `states.${ending}`), join(data, `${name}.${ending}`))
    const files = ['one', 'two'].map((name) => join(data, `${name}.shp`))
    const { code, stdout } = await run(t, ['import', ...files])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^warning: one\.shp, two\.shp: There is no \.dbf beside the \.shp/m)
    assert.equal(stdout.match(/no \.dbf/g)?.length, 1)
  })

  it('says that a layer exists, and where the reasons of rejected rows are', async (t) => {
    const data = temporaryData(t)
    const file = write(data, 'rejected.csv', 'lat,lon\n1,2\nnorth,3\n4,5\n')
    const args = ['import', file, '--lat', 'lat', '--lon', 'lon']
    const first = await run(t, args)
    assert.doesNotMatch(first.stdout, /exists already/)
    assert.match(first.stdout, /^warning: rejected\.csv: \/rest\/imports\/\d+\/tasks\/0\/rejects/m)
    const second = await run(t, args)
    assert.match(second.stdout, /exists already in default.*--mode replace/)
  })

  it('says that a folder is empty', async (t) => {
    const data = temporaryData(t)
    mkdirSync(join(data, 'empty'))
    const { code, stdout } = await runTerrane(t, ['import', join(data, 'empty')], settings(data))
    assert.equal(code, 1)
    assert.match(stdout, /EMPTY.*holds no files/)
  })
})

describe('terrane import at a terminal', () => {
  it('asks what to do with a workspace that is missing, data without geometry, and a layer that exists', async (t) => {
    const data = temporaryData(t)
    const file = write(data, 'answers.csv', survey)
    const env = { TERRANE_PASSWORD: password }
    const ask = (workspace: string, answers: [RegExp, string][]) =>
      runAtTerminal(t, ['import', file, '--workspace', workspace, '--url', shared.url], env, answers)
    const first = await ask('village', [
      [/Workspace village does not exist/, 'y'],
      [/answers\.csv has no geometry[\s\S]*columns longitude and latitude/, 'p'],
    ])
    assert.match(first, /1 of 1 imported/)
    const second = await ask('village', [[/Layer village:answers exists already/, 's']])
    assert.match(second, /SKIPPED/)
    const third = await ask('village', [
      [/Layer village:answers exists already/, 'r'],
      [/answers\.csv has no geometry/, 'p'],
    ])
    assert.match(third, /answers +COMPLETE/)
    const alone = ['import', file, '--workspace', 'town']
    const left = await runAtTerminal(t, alone, settings(data), [[/Workspace town does not exist/, '\u0004']])
    assert.match(left, /Nothing was answered/)
  })
})

describe('terrane workspaces, stores, layers, users and tokens', () => {
  it('list, show, create, change and delete what a server holds', async (t) => {
    const server = await startServer(t, temporaryData(t))
    const call = (args: string[], env: Record<string, string> = {}): Promise<Ended> =>
      runTerrane(t, [...args, '--url', server.url], { TERRANE_PASSWORD: password, ...env })
    const run = async (line: string, env: Record<string, string> = {}): Promise<string> => {
      const { code, stdout, stderr } = await call(line.split(' '), env)
      assert.equal(code, 0, `${line}: ${stdout}${stderr}`)
      return stdout
    }
    await run(`import ${join(sample, 'states.shp')}`)
    assert.match(await run('workspaces create town --public'), /public +true/)
    assert.match(await run('workspaces change town --private'), /public +false/)
    assert.match(await run('workspaces'), /default +false +true\ntown +false +false/)
    assert.match(await run('layers list'), /default:states/)
    assert.match(await run('layers change states --title States --public'), /title +States\npublic +true/)
    assert.doesNotMatch(await run('layers change states --inherit'), /public/)
    assert.match(await run('stores add more -w town'), /town:more/)
    assert.match(await run('stores change town:more --description spare --disable'), /enabled +false/)
    assert.match(await run('stores show town:more'), /description +spare/)
    assert.match(await run('stores delete more -w town'), /deleted/)
    assert.match(
      await run('users create eva --role staff', { TERRANE_NEW_PASSWORD: 'eva-password' }),
      /staff/,
    )
    assert.match(
      await run('users password -u eva', {
        TERRANE_PASSWORD: 'eva-password',
        TERRANE_NEW_PASSWORD: 'eva-password2',
      }),
      /changed/,
    )
    assert.match(await run('users change eva --role user'), /role +user/)
    const made = await run('tokens create ci --json')
    const { token } = JSON.parse(made) as { token: { id: number; value: string } }
    const byToken = { TERRANE_TOKEN: token.value }
    const listed = await runTerrane(t, ['layers', 'list', '--url', server.url], byToken)
    assert.match(listed.stdout, /default:states/)
    assert.match(await run('tokens'), /ci/)
    assert.match(await run(`tokens delete ${token.id}`), /revoked/)
    const { nodes } = JSON.parse(await run('nodes --json')) as {
      nodes: { alive: boolean; current: boolean }[]
    }
    assert.deepEqual(
      nodes.map(({ alive, current }) => [alive, current]),
      [[true, true]],
    )
    await run('users delete eva')
    await run('layers delete states')
    await run('workspaces delete town')
    assert.match(await run('layers'), /There are no layers/)
    const unknown = await call(['workspaces', 'show', 'town'])
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /"town" does not exist/)
    await server.stop()
  })

  it('works without a running server, tokens too', async (t) => {
    const data = temporaryData(t)
    const made = await runTerrane(t, ['workspaces', 'create', 'town'], settings(data))
    assert.equal(made.code, 0, made.stderr)
    const token = await runTerrane(t, ['tokens', 'create', 'ci'], {
      ...settings(data),
      TERRANE_PASSWORD: password,
    })
    assert.equal(token.code, 0, token.stderr)
    assert.match(token.stdout, /^trn_/m)
  })
})

describe('a start that fails', () => {
  it('does not use up the only showing of the password, and names the setting of the port', async (t) => {
    const data = temporaryData(t)
    const blocker = createServer().listen(0, '127.0.0.1')
    t.after(() => blocker.close())
    await new Promise((resolve) => blocker.once('listening', resolve))
    const { port } = blocker.address() as { port: number }
    const env = without(settings(data), 'TERRANE_ADMIN_PASSWORD')
    const failed = await runTerrane(t, ['serve'], { ...env, TERRANE_PORT: String(port) })
    assert.equal(failed.code, 1)
    assert.match(failed.stderr, new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is in use.*TERRANE_PORT`))
    assert.doesNotMatch(failed.stdout, /password/)
    const server = startTerrane(t, ['serve'], env)
    const shown = await server.line(/^Created the user "admin" with the password/)
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    const [, made = ''] = /password (\S+)/.exec(shown) ?? []
    const authorization = `Basic ${Buffer.from(`admin:${made}`).toString('base64')}`
    assert.equal((await fetch(`${url}/rest/security/users`, { headers: { authorization } })).status, 200)
    server.signal('SIGTERM')
    await server.ended
  })

  it('tells all wrong settings at once: roots, passwords, misspelt names', async (t) => {
    const data = temporaryData(t)
    const env = {
      ...settings(join(data, 'new')),
      TERRANE_IMPORT_ROOTS: `/nowhere/at/all:${write(data, 'file', '')}`,
      TERRANE_ADMIN_PASSWORD: 'x',
      TERRANE_SAMPEL: 'off',
      TERRANE_ODD: '1',
    }
    const { code, stderr } = await runTerrane(t, ['serve'], env)
    assert.equal(code, 2)
    assert.match(stderr, /names "\/nowhere\/at\/all", which does not exist/)
    assert.match(stderr, /file", which is not a folder/)
    assert.match(stderr, /TERRANE_ADMIN_PASSWORD must have at least 8 characters/)
    assert.match(stderr, /TERRANE_SAMPEL is not a setting: did you mean TERRANE_SAMPLE\?/)
    const { code: doctorCode, stdout } = await runTerrane(t, ['doctor', '--json'], env)
    assert.equal(doctorCode, 1)
    const { parts } = JSON.parse(stdout) as { parts: { part: string; cost: string }[] }
    assert.equal(parts.filter(({ part }) => part === 'setting').length, 5)
  })

  it('starts with a short password in the settings where there are users already', async (t) => {
    const data = temporaryData(t)
    await (await startServer(t, data)).stop()
    const server = startTerrane(t, ['serve'], {
      ...settings(data),
      TERRANE_ADMIN_PASSWORD: 'x',
      TERRANE_SAMPLE: 'no',
      TERRANE_ODD: '1',
    })
    await server.line(/^Stop it with/)
    server.signal('SIGTERM')
    const { stderr, stdout } = await server.ended
    assert.match(stderr, /TERRANE_ODD is not a setting/)
    assert.doesNotMatch(stdout, /sample/)
  })
})

it('has the program that makes terminals', () => {
  assert.equal(spawnSync('script', ['--version']).status, 0, 'install bsdutils')
})
