import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Field } from '../../../components/field.tsx'
import { sourcesTexts } from '../../../messages/import/texts.ts'
import { CommandOutput } from './source-messages.tsx'
import { importCallOf, useBegin } from './use-begin.ts'

interface Table {
  name: string
  geometryType?: string
  rows?: number
}

const kinds = [
  { dbtype: 'postgis', name: 'PostgreSQL, PostGIS', isFile: false, port: '5432' },
  { dbtype: 'mysql', name: 'MySQL, MariaDB', isFile: false, port: '3306' },
  { dbtype: 'geopkg', name: 'GeoPackage', isFile: true, port: '' },
  { dbtype: 'sqlite', name: 'SQLite, SpatiaLite', isFile: true, port: '' },
] as const
const encryptions = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/** The tables of a database: reached, then chosen among. */
export function DatabaseForm() {
  const texts = sourcesTexts.value
  const form = useRef<HTMLFormElement>(null)
  const dbtype = useSignal<string>('postgis')
  const { tables, chosen, failure, isAsking, find, take } = useTables(form, dbtype)
  const kind = kinds.find((one) => one.dbtype === dbtype.value) ?? kinds[0]
  return (
    <form
      ref={form}
      class="stack s2"
      onChange={(event) => {
        // The tables found belong to another connection.
        if (event.target instanceof HTMLElement && event.target.closest('.tables') === null)
          tables.value = undefined
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (tables.value === undefined) void find()
        else take()
      }}
    >
      <KindField dbtype={dbtype} />
      {kind.isFile ? (
        <Field
          key="file"
          name="database"
          label={texts.databaseFile}
          hint={texts.databaseFileHint}
          required={true}
        />
      ) : (
        <ServerFields key={kind.dbtype} port={kind.port} />
      )}
      <CommandOutput error={failure} />
      {tables.value !== undefined && (
        <Tables
          tables={tables.value}
          chosen={chosen.value}
          onChoose={(next) => {
            chosen.value = next
          }}
        />
      )}
      <div class="row wrap">
        {tables.value === undefined ? (
          <button type="submit" class="btn main" disabled={isAsking.value}>
            {texts.findTables}
          </button>
        ) : (
          <button type="submit" class="btn main" disabled={chosen.value.size === 0}>
            {texts.takeTables(chosen.value.size)}
          </button>
        )}
        <CopyAsCurl
          call={() => {
            const parameters = { ...parametersOf(form.current, dbtype.value), passwd: 'PASSWORD' }
            return importCallOf({ type: 'database', parameters }, '/rest/database-imports')
          }}
        />
      </div>
    </form>
  )
}

/** The tables that the connection in the form has, and those that are chosen. */
function useTables(form: RefObject<HTMLFormElement | null>, dbtype: Signal<string>) {
  const tables = useSignal<readonly Table[] | undefined>(undefined)
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const failure = useSignal<unknown>(undefined)
  const isAsking = useSignal(false)
  const { begin, error } = useBegin()
  const find = async (): Promise<void> => {
    failure.value = undefined
    isAsking.value = true
    try {
      const body = { data: { parameters: parametersOf(form.current, dbtype.value) } }
      const found = await call<{ tables: Table[] }>({ method: 'POST', path: '/rest/database-tables', body })
      tables.value = found.tables
      chosen.value = new Set(found.tables.map(({ name }) => name))
    } catch (refusal) {
      failure.value = refusal
    } finally {
      isAsking.value = false
    }
  }
  const take = (): void => {
    const data = {
      type: 'database',
      parameters: parametersOf(form.current, dbtype.value),
      tables: [...chosen.value],
    }
    void begin(importCallOf(data, '/rest/database-imports'))
  }
  return { tables, chosen, isAsking, find, take, failure: failure.value ?? error.value }
}

function KindField({ dbtype }: { dbtype: Signal<string> }) {
  const texts = sourcesTexts.value
  return (
    <label class="field">
      <span class="lbl">{texts.kindOfDatabase}</span>
      <select
        class="in"
        value={dbtype.value}
        onChange={(event) => {
          dbtype.value = event.currentTarget.value
        }}
      >
        {kinds.map((one) => (
          <option key={one.dbtype} value={one.dbtype}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  )
}

function ServerFields({ port }: { port: string }) {
  const texts = sourcesTexts.value
  return (
    <>
      <Field name="host" label={texts.host} required={true} defaultValue="localhost" />
      <Field name="port" label={texts.port} defaultValue={port} />
      <Field name="database" label={texts.database} required={true} />
      <Field name="schema" label={texts.schema} />
      <Field name="user" label={texts.user} />
      <Field name="passwd" type="password" label={texts.password} hint={texts.passwordHint} />
      <label class="field">
        <span class="lbl">{texts.encryption}</span>
        <select class="in" name="SSL mode">
          {encryptions.map((mode) => (
            <option key={mode} value={mode}>
              {mode}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

interface TablesProps {
  tables: readonly Table[]
  chosen: ReadonlySet<string>
  onChoose(next: ReadonlySet<string>): void
}

function Tables({ tables, chosen, onChoose }: TablesProps) {
  const texts = sourcesTexts.value
  return (
    <fieldset class="tables">
      <legend class="lbl">{texts.tables(tables.length)}</legend>
      {tables.map(({ name, geometryType, rows }) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.has(name)}
            onChange={(event) => {
              const next = new Set(chosen)
              if (event.currentTarget.checked) next.add(name)
              else next.delete(name)
              onChoose(next)
            }}
          />
          <span>
            <b dir="auto">{name}</b>{' '}
            <small class="dim">
              {geometryType ?? texts.noGeometry}
              {rows !== undefined && ` · ${texts.rows(rows)}`}
            </small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Returns the connection parameters of a form, without empty ones. */
function parametersOf(form: HTMLFormElement | null, dbtype: string): Record<string, unknown> {
  if (form === null) return { dbtype }
  const output = [...new FormData(form)].filter(([, value]) => String(value) !== '')
  const entries = output.map(
    ([name, value]) => [name, name === 'port' ? Number(value) : String(value)] as const,
  )
  return { dbtype, ...Object.fromEntries(entries) }
}
