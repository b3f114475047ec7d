import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { CopyAsCurl } from '../components/copy-as-curl.tsx'
import { Icon } from '../components/icon.tsx'
import { Refused } from '../components/states.tsx'
import { useActing } from '../components/use-acting.ts'
import { accessTexts } from '../messages/access/texts.ts'
import { Explanation, explainCall } from './explanation.tsx'
import type { Access, Permission } from './permissions.ts'
import { UserInput } from './user-input.tsx'

interface Props {
  resource: string
  permissions: readonly Permission[]
  onDone(): void
}

/** Explains what a chosen user may do with the resource. */
export function Why({ resource, permissions, onDone }: Props) {
  const texts = accessTexts.value
  const [access, setAccess] = useState<Access>()
  const [user, setUser] = useState('')
  const { isBusy, error, act } = useActing()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const submit = async (): Promise<void> => {
    const name = String(new FormData(form.current ?? undefined).get('user') ?? '').trim()
    setUser(name)
    setAccess(undefined)
    await act(async () => {
      setAccess((await call<{ access: Access }>(explainCall(resource, name))).access)
    })
  }
  return (
    <form
      ref={form}
      class="stack s3 inset"
      aria-label={texts.explainTitle}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <h3>{texts.explainTitle}</h3>
      <UserInput name="user" label={texts.explainUser} hint={texts.explainHint} />
      <div class="row wrap">
        <button type="submit" class={`btn main${isBusy.value ? ' busy' : ''}`}>
          {texts.explainAct}
        </button>
        <button type="button" class="btn" onClick={onDone}>
          {texts.close}
        </button>
        <CopyAsCurl call={() => explainCall(resource, user)} />
      </div>
      <Refused error={error.value} />
      {access !== undefined && <Explanation access={access} permissions={permissions} />}
    </form>
  )
}

/** Explains to users what they may do themselves. */
export function OwnRights({ resource }: { resource: string }) {
  const texts = accessTexts.value
  const [access, setAccess] = useState<Access>()
  const { error, act } = useActing()
  const ask = (): Promise<boolean> =>
    act(async () => setAccess((await call<{ access: Access }>(explainCall(resource))).access))
  return (
    <div class="stack s2">
      {access === undefined ? (
        <div class="row">
          <button type="button" class="btn" onClick={() => void ask()}>
            <Icon name="info" />
            {texts.ownRights}
          </button>
        </div>
      ) : (
        <Explanation access={access} permissions={[]} />
      )}
      <Refused error={error.value} />
    </div>
  )
}
