import { useEffect, useState } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { say } from '../../components/toasts.tsx'
import { AddLayer } from '../../map/add-layer.tsx'
import { manageTexts } from '../../messages/manage/texts.ts'
import { FormDialog } from './form-dialog.tsx'
import { type LayerGroup, pathOf, workspaceNames } from './listing.ts'

type Member = LayerGroup['members'][number]

interface FormProps {
  now?: LayerGroup
  onSaved(): Promise<void>
}

/** Form for a new layer group, or for title, mode and layers of one. */
export function LayerGroupForm({ now, onSaved }: FormProps) {
  const texts = manageTexts.value
  const [members, setMembers] = useState<readonly Member[]>((now?.members ?? []).toReversed())
  const [workspace, setWorkspace] = useState(now?.workspace ?? '')
  useEffect(() => void workspaceNames.load(), [])
  const requested = (data: FormData): Call => {
    const layerGroup = { ...valuesOf(data), ...contentOf(members) }
    if (now !== undefined) return { method: 'PUT', path: pathOf(now), body: { layerGroup } }
    const place = workspace === '' ? '/rest' : `/rest/workspaces/${encodeURIComponent(workspace)}`
    const name = String(data.get('name'))
    return { method: 'POST', path: `${place}/layergroups`, body: { layerGroup: { name, ...layerGroup } } }
  }
  return (
    <FormDialog
      title={now === undefined ? texts.layerGroup.new : texts.layerGroup.changeTitle(now.name)}
      act={texts.save}
      requested={requested}
      send={async (data) => {
        await call(requested(data))
        say(now === undefined ? texts.made(String(data.get('name'))) : texts.saved(now.name))
        await onSaved()
      }}
    >
      {now === undefined && (
        <>
          <Field label={texts.name} hint={texts.nameHint} name="name" required autofocus maxLength={200} />
          <SelectField
            label={texts.layerGroup.workspace}
            name="workspace"
            value={workspace}
            options={[
              { value: '', text: texts.layerGroup.noWorkspace },
              ...(workspaceNames.value ?? []).map((value) => ({ value, text: value })),
            ]}
            onChange={setWorkspace}
          />
        </>
      )}
      <Field
        label={texts.layerGroup.title}
        hint={texts.layerGroup.titleHint}
        name="title"
        maxLength={200}
        defaultValue={now?.title ?? ''}
      />
      <SelectField
        label={texts.layerGroup.mode}
        name="mode"
        value={now?.mode ?? 'SINGLE'}
        options={(['SINGLE', 'NAMED'] as const).map((value) => ({
          value,
          text: texts.layerGroup.modes[value],
        }))}
      />
      <Members members={members} onChange={setMembers} />
      <AddLayer
        taken={members.map(({ name }) => name)}
        workspace={workspace === '' ? undefined : workspace}
        onAdd={(name) => setMembers([{ kind: 'layer', name }, ...members])}
      />
    </FormDialog>
  )
}

/** An empty title is left out: the server then takes the name, or leaves the title as it is. */
function valuesOf(data: FormData): { title?: string; mode: string } {
  const title = String(data.get('title')).trim()
  return title === '' ? { mode: String(data.get('mode')) } : { title, mode: String(data.get('mode')) }
}

/** The members as the server has them: the lowest first. */
function contentOf(members: readonly Member[]) {
  const lowestFirst = members.toReversed()
  return {
    publishables: { published: lowestFirst.map(({ kind, name }) => ({ '@type': kind, name })) },
    styles: { style: lowestFirst.map(({ style }) => style ?? '') },
  }
}

interface MembersProps {
  /** The top one first. */
  members: readonly Member[]
  onChange(members: readonly Member[]): void
}

/** The members in their order, which buttons change. */
function Members({ members, onChange }: MembersProps) {
  const texts = manageTexts.value.layerGroup
  const move = (index: number, by: -1 | 1): void => {
    const moved = [...members]
    const [member] = moved.splice(index, 1)
    if (member !== undefined) moved.splice(index + by, 0, member)
    onChange(moved)
  }
  return (
    <section class="stack s2" aria-label={texts.members}>
      <span class="lbl">{texts.members}</span>
      <p class="hint">{members.length === 0 ? texts.noMembers : texts.membersHint}</p>
      <ol class="ordered-members">
        {members.map(({ kind, name }, index) => (
          <li key={`${kind} ${name}`}>
            <span class="cut grow" dir="auto">
              {name} {kind === 'layerGroup' && <span class="tag">{texts.asGroup}</span>}
            </span>
            <button
              type="button"
              class="btn sm ic upwards"
              aria-label={texts.up(name)}
              disabled={index === 0}
              onClick={() => move(index, -1)}
            >
              <Icon name="down" />
            </button>
            <button
              type="button"
              class="btn sm ic"
              aria-label={texts.down(name)}
              disabled={index === members.length - 1}
              onClick={() => move(index, 1)}
            >
              <Icon name="down" />
            </button>
            <button
              type="button"
              class="btn sm ic"
              aria-label={texts.removeMember(name)}
              onClick={() => onChange(members.filter((one) => one.name !== name || one.kind !== kind))}
            >
              <Icon name="x" />
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
