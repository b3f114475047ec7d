import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { shownDay, shownNumber } from '../../components/formats.ts'
import { addressOf } from '../../lib/base.ts'
import { query, setQuery } from '../../lib/router.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { Frame, Nothing, PageSections } from './frame.tsx'
import { pathOf, type Store, stores, storesCall, useList, workspaceNames } from './listing.ts'
import { RowActs } from './row-acts.tsx'
import { ChangeStore, NewStore } from './store-form.tsx'
import { storeTypes } from './store-parameters.ts'
import { StoreTables } from './store-tables.tsx'
import { Tried, type TriedProps, tried } from './tried.tsx'
import { useFound } from './use-found.tsx'

const reload = (): Promise<void> => stores.load()

/** Stores: made, tried, changed, deleted. */
export function StoresPage() {
  const texts = manageTexts.value
  useList(stores, storesCall())
  const list = stores.state.value
  return (
    <>
      <Frame
        place="stores"
        lead={texts.store.lead}
        requested={storesCall()}
        act={texts.store.new}
        list={list}
        onAgain={() => void reload()}
        filters={<WorkspaceFilter />}
      >
        {list.value?.stores.length === 0 ? <Nothing /> : <Table rows={list.value?.stores ?? []} />}
        <PageSections total={list.value?.total ?? 0} />
      </Frame>
      <Dialogs />
    </>
  )
}

function Dialogs() {
  const changed = query.value.get('change')
  const deleted = query.value.get('delete')
  const listed = query.value.get('tables')
  if (listed !== null) return <Tables key={listed} id={listed} />
  if (query.value.has('new')) return <NewStore onDone={reload} />
  if (changed !== null) return <Changing key={changed} id={changed} />
  return deleted === null ? null : <Deleting key={deleted} id={deleted} />
}

/** The store that `workspace:name` in the address means. */
function useStore(id: string) {
  return useFound(async (signal) => {
    const [workspace = '', name = ''] = id.split(':')
    const path = '/rest/catalogue/stores'
    const reply = await call<{ stores: Store[] }>({ path, query: { workspace, q: name } }, signal)
    const found = reply.stores.find((one) => one.name === name)
    if (found === undefined) throw new Error(manageTexts.value.gone(id))
    return found
  })
}

function Changing({ id }: { id: string }) {
  const found = useStore(id)
  return found.value === undefined ? found.waiting : <ChangeStore store={found.value} onDone={reload} />
}

function Tables({ id }: { id: string }) {
  const found = useStore(id)
  if (found.value === undefined) return found.waiting
  const { workspace, name } = found.value
  return <StoreTables workspace={workspace} store={name} path={pathOf(found.value)} onDone={reload} />
}

function Deleting({ id }: { id: string }) {
  const found = useStore(id)
  if (found.value === undefined) return found.waiting
  return (
    <DeleteDialog
      name={found.value.name}
      path={pathOf(found.value)}
      query={{ recurse: true }}
      hint={manageTexts.value.removing.tablesStay}
      onDone={reload}
    />
  )
}

function WorkspaceFilter() {
  const texts = manageTexts.value.store
  const names = workspaceNames.value ?? []
  useEffect(() => {
    void workspaceNames.load()
  }, [])
  const here = query.value.get('workspace') ?? ''
  const shown = here === '' || names.includes(here) ? names : [here, ...names]
  return (
    <select
      class="in"
      aria-label={texts.workspace}
      value={here}
      onChange={(event) => setQuery({ workspace: event.currentTarget.value, part: undefined })}
    >
      <option value="">{texts.anyWorkspace}</option>
      {shown.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
}

function Table({ rows }: { rows: readonly Store[] }) {
  const texts = manageTexts.value
  return (
    <section class="panel scroll" aria-label={texts.stores}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.name}</th>
            <th>{texts.store.workspace}</th>
            <th>{texts.store.type}</th>
            <th class="num">{texts.layers}</th>
            <th class="wide">{texts.changed}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.href} {...row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row(store: Store) {
  const texts = manageTexts.value
  const { name, workspace, type, layers, dateModified, description } = store
  return (
    <tr>
      <td>
        <b dir="auto">{name}</b> {store.default && <span class="tag acc">{texts.store.default}</span>}{' '}
        {!store.enabled && <span class="tag warn">{texts.store.off}</span>}
        {description !== undefined && (
          <div class="dim small about" dir="auto">
            {description}
          </div>
        )}
      </td>
      <td data-l={texts.store.workspace} dir="auto">
        {workspace}
      </td>
      <td data-l={texts.store.type}>{type}</td>
      <td class="num" data-l={texts.layers}>
        <a
          href={addressOf(`/?workspace=${encodeURIComponent(workspace)}`)}
          aria-label={`${texts.layers}: ${shownNumber(layers)}, ${name}`}
        >
          {shownNumber(layers)}
        </a>
      </td>
      <td class="wide" data-l={texts.changed}>
        {shownDay(dateModified)}
      </td>
      <td class="num acts-cell">
        <Acts {...store} />
      </td>
    </tr>
  )
}

/** Actions for a store, with the result of testing it. */
function Acts(store: Store) {
  const texts = manageTexts.value.store
  const { name, workspace } = store
  const [isBusy, setBusy] = useState(false)
  const [reported, setReported] = useState<TriedProps>()
  const check = async (): Promise<void> => {
    setBusy(true)
    setReported(undefined)
    setReported(await tried(() => tryStore(pathOf(store))))
    setBusy(false)
  }
  return (
    <>
      <div class="row-acts">
        {hasContents(store) && (
          <button
            type="button"
            class="btn sm"
            onClick={() => setQuery({ tables: `${workspace}:${name}` }, { isReplaced: false })}
          >
            {isRasterStore(store) ? manageTexts.value.rasters.tables : manageTexts.value.tables.tables}
            <span class="vh"> {name}</span>
          </button>
        )}
        <button type="button" class={`btn sm${isBusy ? ' busy' : ''}`} onClick={() => void check()}>
          {isBusy && <span class="spin" aria-hidden="true" />}
          {texts.checkRow}
          <span class="vh"> {name}</span>
        </button>
        <RowActs id={`${workspace}:${name}`} name={name} />
      </div>
      <Tried reported={reported} />
    </>
  )
}

function isRasterStore(store: Store): boolean {
  return pathOf(store).includes('/coveragestores/')
}

/** True if tables or rasters of the store can be listed; a mosaic is one layer. */
function hasContents(store: Store): boolean {
  return isRasterStore(store) ? store.type !== 'ImageMosaic' : storeTypes.some((type) => type === store.type)
}

async function tryStore(path: string): Promise<string> {
  const texts = manageTexts.value.store
  const requested = { method: 'POST', path: `${path}/check` } as const
  const { check } = await call<{ check: { milliseconds: number; tables?: number } }>(requested)
  return check.tables === undefined
    ? texts.answers(check.milliseconds)
    : texts.answersWith(check.milliseconds, check.tables)
}
