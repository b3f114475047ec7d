import { useId } from 'preact/hooks'
import type { Call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { shownDay } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { addressOf } from '../../../lib/base.ts'
import { decidingTexts, importTexts } from '../../../messages/import/texts.ts'
import { storeOf, type Task } from '../types.ts'
import { Keys } from './keys.tsx'
import { Limits } from './limits.tsx'
import { useKeptText } from './use-stored-text.ts'
import { type LayerThere, useLayerThere, useStores, useWorkspaces } from './whats-there.ts'

interface TargetProps {
  path: string
  task: Task
  put(call: Call): Promise<void>
}

/** Target of a task: its layer, update mode and limits. */
export function Target({ path, task, put }: TargetProps) {
  const texts = importTexts.value
  const store = storeOf(task)
  const workspace = store?.workspace ?? 'default'
  const there = useLayerThere(workspace, task.layer?.name)
  const send = (body: object): Promise<void> => put({ method: 'PUT', path, body: { task: body } })
  return (
    <section class="panel target" aria-label={texts.target}>
      <header>
        <h2>{texts.target}</h2>
        <CopyAsCurl call={() => asItIs(path, task)} />
      </header>
      <div class="body stack">
        <Location task={task} send={send} />
        <There id={`${workspace}:${task.layer?.name ?? ''}`} there={there} mode={task.updateMode} />
        <Mode task={task} send={send} isThere={there !== undefined} />
        {task.updateMode !== 'CREATE' && there !== undefined && (
          <Keys path={path} task={task} columns={there.attributes} send={send} />
        )}
        <Limits task={task} columns={there?.attributes ?? ownColumns(task)} send={send} />
      </div>
    </section>
  )
}

/** Columns of a new layer. */
function ownColumns({ layer }: Task): { name: string }[] {
  return (layer?.attributes ?? []).filter(({ source }) => source !== undefined)
}

/** Returns the request with the current choices, for scripts. */
function asItIs(path: string, task: Task): Call {
  const { updateMode, keys, deleteMissing, stopIf, layer } = task
  const store = storeOf(task)
  return {
    method: 'PUT',
    path,
    body: {
      task: {
        updateMode,
        keys,
        deleteMissing,
        stopIf,
        layer: { name: layer?.name },
        target: store ? { dataStore: { name: store.name, workspace: { name: store.workspace } } } : undefined,
      },
    },
  }
}

interface PartProps {
  task: Task
  send(body: object): Promise<void>
}

/** Workspace, store and name. */
function Location({ task, send }: PartProps) {
  const texts = decidingTexts.value
  const id = useId()
  const store = storeOf(task)
  const name = useKeptText(task.layer?.name ?? '')
  const workspaces = useWorkspaces()
  const stores = useStores(store?.workspace, store?.kind)
  const sendTo = (workspace: string | undefined, name: string): Promise<void> =>
    send({
      target: {
        [store?.kind ?? 'dataStore']: { name, workspace: workspace ? { name: workspace } : undefined },
      },
    })
  return (
    <div class="place">
      {store !== undefined && (
        <>
          <div class="field">
            <label for={`${id}-w`}>{texts.workspace}</label>
            <select
              class="in"
              id={`${id}-w`}
              value={store.workspace}
              onChange={({ currentTarget }) => void sendTo(currentTarget.value, 'default')}
            >
              {withOwn(workspaces, store.workspace).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for={`${id}-s`}>{texts.store}</label>
            <select
              class="in"
              id={`${id}-s`}
              value={store.name}
              onChange={({ currentTarget }) => void sendTo(store.workspace, currentTarget.value)}
            >
              {withOwn(stores, store.name).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </div>
        </>
      )}
      <div class="field wide">
        <label for={`${id}-n`}>{importTexts.value.layerName}</label>
        <input
          class="in"
          ref={name}
          id={`${id}-n`}
          dir="auto"
          maxLength={200}
          defaultValue={task.layer?.name}
          onChange={({ currentTarget }) => void send({ layer: { name: currentTarget.value.trim() } })}
        />
      </div>
    </div>
  )
}

function withOwn(names: readonly string[], own: string): readonly string[] {
  return names.includes(own) ? names : [own, ...names]
}

/** Shows whether the layer exists, with its rows and date. */
function There({ id, there, mode }: { id: string; there: LayerThere | undefined; mode: string }) {
  const texts = decidingTexts.value
  if (there === undefined) return <p class="dim">{texts.isNew}</p>
  const { dateModified } = there
  const rows = there.rows === undefined ? undefined : decidingTexts.value.rows(there.rows)
  return (
    <p>
      {texts.isThere(rows, shownDay(dateModified))}{' '}
      <a href={addressOf(`/app/layers/${encodeURIComponent(id)}`)}>{texts.lookAtIt}</a>
      {mode === 'CREATE' && <span class="warnline"> {texts.getsNumber}</span>}
    </p>
  )
}

const modes = ['CREATE', 'REPLACE', 'APPEND', 'UPSERT'] as const

/** Update mode for an existing layer; hidden for a new one, unless another mode was selected. */
function Mode({ task, send, isThere }: PartProps & { isThere: boolean }) {
  const texts = importTexts.value
  const group = useId()
  const chosen = modes.find((one) => one === task.updateMode) ?? 'CREATE'
  return (
    <fieldset class="field plain">
      <legend class="lbl">{texts.mode}</legend>
      <div class="seg wraps">
        {modes.map((mode) => (
          <label key={mode}>
            <input
              type="radio"
              name={group}
              checked={mode === chosen}
              onChange={() => void send({ updateMode: mode })}
            />
            {texts.modes[mode]}
          </label>
        ))}
      </div>
      <p class="hint">{texts.modeHints[chosen]}</p>
      {!isThere && chosen !== 'CREATE' && (
        <p class="warnline">
          <Icon name="warn" /> {decidingTexts.value.nothingThere}
        </p>
      )}
    </fieldset>
  )
}
