import { useState } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CheckField } from '../../components/check-field.tsx'
import { Field } from '../../components/field.tsx'
import { shownDay, shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { say } from '../../components/toasts.tsx'
import { addressOf } from '../../lib/base.ts'
import { query } from '../../lib/router.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { FormDialog } from './form-dialog.tsx'
import { Frame, Nothing, PageSections } from './frame.tsx'
import { useList, type Workspace, workspaces, workspacesCall } from './listing.ts'
import { RowActs } from './row-acts.tsx'
import { useFound } from './use-found.tsx'

const base = '/rest/workspaces'
const pathOf = (name: string): string => `${base}/${encodeURIComponent(name)}`
const reload = (): Promise<void> => workspaces.load()

/** Workspaces: made, changed, deleted. */
export function WorkspacesPage() {
  const texts = manageTexts.value
  useList(workspaces, workspacesCall())
  const list = workspaces.state.value
  return (
    <>
      <Frame
        place="workspaces"
        lead={texts.workspace.lead}
        requested={workspacesCall()}
        act={texts.workspace.new}
        list={list}
        onAgain={() => void reload()}
      >
        {list.value?.workspaces.length === 0 ? <Nothing /> : <Table rows={list.value?.workspaces ?? []} />}
        <PageSections total={list.value?.total ?? 0} />
      </Frame>
      <Dialogs />
    </>
  )
}

function Dialogs() {
  const changed = query.value.get('change')
  const deleted = query.value.get('delete')
  if (query.value.has('new')) return <WorkspaceForm />
  if (changed !== null) return <ChangeWorkspace key={changed} name={changed} />
  if (deleted === null) return null
  return (
    <DeleteDialog
      key={deleted}
      name={deleted}
      path={pathOf(deleted)}
      query={{ recurse: true }}
      hint={manageTexts.value.removing.tablesStay}
      onDone={reload}
    />
  )
}

function Table({ rows }: { rows: readonly Workspace[] }) {
  const texts = manageTexts.value
  return (
    <section class="panel scroll" aria-label={texts.workspaces}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.name}</th>
            <th>{texts.workspace.seenBy}</th>
            <th class="num">{texts.layers}</th>
            <th class="num">{texts.stores}</th>
            <th class="num wide">{texts.styles}</th>
            <th class="wide">{texts.changed}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.name} {...row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({
  name,
  default: isDefault,
  public: isPublic,
  layers,
  stores,
  styles,
  dateModified,
}: Workspace) {
  const texts = manageTexts.value
  const place = encodeURIComponent(name)
  return (
    <tr>
      <td>
        <b dir="auto">{name}</b> {isDefault && <span class="tag acc">{texts.workspace.default}</span>}
      </td>
      <td data-l={texts.workspace.seenBy}>
        <span class="st">
          <Icon name={isPublic ? 'globe' : 'lock'} />
          {isPublic ? texts.workspace.public : texts.workspace.notPublic}
        </span>
      </td>
      <td class="num" data-l={texts.layers}>
        <a
          href={addressOf(`/?workspace=${place}`)}
          aria-label={`${texts.layers}: ${shownNumber(layers)}, ${name}`}
        >
          {shownNumber(layers)}
        </a>
      </td>
      <td class="num" data-l={texts.stores}>
        <a
          href={addressOf(`/app/stores?workspace=${place}`)}
          aria-label={`${texts.stores}: ${shownNumber(stores)}, ${name}`}
        >
          {shownNumber(stores)}
        </a>
      </td>
      <td class="num wide" data-l={texts.styles}>
        {shownNumber(styles)}
      </td>
      <td class="wide" data-l={texts.changed}>
        {shownDay(dateModified)}
      </td>
      <td class="num acts-cell">
        <div class="row-acts">
          <RowActs id={name} name={name} />
        </div>
      </td>
    </tr>
  )
}

interface Shown {
  name: string
  public: boolean
  isDefault: boolean
}

function ChangeWorkspace({ name }: { name: string }) {
  const found = useFound(async (signal) => {
    const [{ workspace }, first] = await Promise.all([
      call<{ workspace: { public: boolean } }>({ path: pathOf(name) }, signal),
      call<{ workspace: { name: string } }>({ path: `${base}/default` }, signal).catch(() => undefined),
    ])
    return { name, public: workspace.public, isDefault: first?.workspace.name === name }
  })
  return found.value === undefined ? found.waiting : <WorkspaceForm now={found.value} />
}

/** Form for a new workspace, or for the editable fields of one. */
function WorkspaceForm({ now }: { now?: Shown }) {
  const texts = manageTexts.value
  const [first] = useState(now)
  const requested = (data: FormData): Call => {
    const isPublic = data.get('public') !== null
    if (first !== undefined)
      return { method: 'PUT', path: pathOf(first.name), body: { workspace: { public: isPublic } } }
    const isDefault = data.get('default') !== null
    return {
      method: 'POST',
      path: base,
      query: { default: isDefault || undefined },
      body: { workspace: { name: String(data.get('name')), public: isPublic } },
    }
  }
  const send = async (data: FormData): Promise<void> => {
    const { workspace } = await call<{ workspace: { name: string; copiesLiveSeconds?: number } }>(
      requested(data),
    )
    const { name, copiesLiveSeconds } = workspace
    if (first !== undefined && data.get('default') !== null)
      await call({ method: 'PUT', path: `${base}/default`, body: { workspace: { name } } })
    say(first === undefined ? texts.made(name) : texts.saved(name))
    if (copiesLiveSeconds !== undefined) say(texts.workspace.copiesLive(copiesLiveSeconds))
    await reload()
  }
  return (
    <FormDialog
      title={first === undefined ? texts.workspace.new : texts.workspace.changeTitle(first.name)}
      act={texts.save}
      requested={requested}
      send={send}
    >
      {first === undefined && (
        <Field label={texts.name} hint={texts.nameHint} name="name" required autofocus maxLength={100} />
      )}
      <CheckField
        name="public"
        label={texts.workspace.publicLabel}
        hint={texts.workspace.publicHint}
        isOn={first?.public ?? false}
      />
      <CheckField
        name="default"
        label={texts.workspace.defaultLabel}
        hint={first?.isDefault === true ? texts.workspace.isDefault : undefined}
        isOn={first?.isDefault ?? false}
        isOff={first?.isDefault ?? false}
      />
    </FormDialog>
  )
}
