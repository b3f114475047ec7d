import { useId, useRef, useState } from 'preact/hooks'
import { UserOptions, useUserNames } from '../../access/user-input.tsx'
import { type Call, call } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { say } from '../../components/toasts.tsx'
import { manageTexts } from '../../messages/manage/texts.ts'
import { FormDialog } from './form-dialog.tsx'
import { type Group, groupPath, groupsPath } from './listing.ts'
import { useFound } from './use-found.tsx'

interface ChangeProps {
  name: string
  onSaved(): Promise<void>
}

export function ChangeGroup({ name, onSaved }: ChangeProps) {
  const found = useFound(
    async (signal) => (await call<{ group: Group }>({ path: groupPath(name) }, signal)).group,
  )
  return found.value === undefined ? found.waiting : <GroupForm now={found.value} onSaved={onSaved} />
}

/** Form for a new group, or for name, title and local members of one. */
export function GroupForm({ now, onSaved }: { now?: Group; onSaved(): Promise<void> }) {
  const texts = manageTexts.value
  const [members, setMembers] = useState<readonly string[]>(now?.sources['local'] ?? [])
  const given = (now?.members ?? []).filter((one) => now?.sources['local']?.includes(one) !== true)
  const requested = (data: FormData): Call => {
    // A name that was typed and not added yet counts too.
    const typed = String(data.get('member') ?? '').trim()
    const all = typed === '' || members.includes(typed) ? members : [...members, typed]
    const group = { name: String(data.get('name')), title: String(data.get('title')), members: all }
    return now === undefined
      ? { method: 'POST', path: groupsPath, body: { group } }
      : { method: 'PUT', path: groupPath(now.name), body: { group } }
  }
  return (
    <FormDialog
      title={now === undefined ? texts.group.new : texts.group.changeTitle(now.name)}
      act={texts.save}
      requested={requested}
      send={async (data) => {
        const { group } = await call<{ group: Group }>(requested(data))
        say(now === undefined ? texts.made(group.name) : texts.saved(group.name))
        await onSaved()
      }}
    >
      <Field
        label={texts.name}
        hint={now === undefined ? undefined : texts.group.renameHint}
        name="name"
        required
        autofocus
        maxLength={200}
        defaultValue={now?.name ?? ''}
      />
      <Field label={texts.group.title} name="title" maxLength={500} defaultValue={now?.title ?? ''} />
      <Members members={members} onChange={setMembers} />
      {given.length > 0 && (
        <p class="hint">
          {texts.group.fromProvider} <bdi>{given.join(', ')}</bdi>
        </p>
      )}
    </FormDialog>
  )
}

interface MembersProps {
  members: readonly string[]
  onChange(members: readonly string[]): void
}

/** The local members: each can be removed, and a user added by name. */
function Members({ members, onChange }: MembersProps) {
  const texts = manageTexts.value.group
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useUserNames()
  const add = (): void => {
    const name = input.current?.value.trim() ?? ''
    if (name !== '' && !members.includes(name)) onChange([...members, name])
    if (input.current !== null) input.current.value = ''
    input.current?.focus()
  }
  const remove = (name: string): void => {
    onChange(members.filter((one) => one !== name))
    input.current?.focus()
  }
  return (
    <div class="field">
      <label for={id}>{texts.members}</label>
      {members.length > 0 && (
        <ul class="members" aria-label={texts.members}>
          {members.map((name) => (
            <li key={name} class="tag">
              <span dir="auto">{name}</span>
              <button type="button" aria-label={texts.removeMember(name)} onClick={() => remove(name)}>
                <Icon name="x" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <input
          ref={input}
          class="in"
          id={id}
          name="member"
          list={`${id}l`}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxLength={200}
          placeholder={texts.memberHint}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.currentTarget.value.trim() === '') return
            event.preventDefault()
            add()
          }}
        />
        <button type="button" class="btn" onClick={add}>
          {texts.addMember}
        </button>
      </div>
      <UserOptions id={`${id}l`} without={members} />
    </div>
  )
}
