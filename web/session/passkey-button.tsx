import { Icon } from '../components/icon.tsx'
import { Refused } from '../components/states.tsx'
import { useActing } from '../components/use-acting.ts'
import { messages } from '../messages/messages.ts'
import { signInByPasskey } from './session.ts'

/** True if the browser has passkeys for this address: they need https (or localhost) and a name, not an IP address. */
export function canUsePasskeys(): boolean {
  return isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname)
}

/** The error of a passkey dialog in words; the errors of browsers are written for programmers. */
export function passkeyError(error: unknown): unknown {
  if (!(error instanceof DOMException)) return error
  const texts = messages.value.signIn
  return new Error(error.name === 'InvalidStateError' ? texts.passkeyExists : texts.noPasskey, {
    cause: error,
  })
}

/** Signs in with a passkey; nothing where the browser has none for this address. */
export function PasskeyButton({ onDone }: { onDone(): void }) {
  const { isBusy, error, act } = useActing()
  if (!canUsePasskeys()) return null
  const ask = async (): Promise<void> => {
    if (await act(signInByPasskey)) onDone()
  }
  return (
    <>
      <button type="button" class="btn big" disabled={isBusy.value} onClick={() => void ask()}>
        <Icon name="key" />
        {messages.value.signIn.passkey}
      </button>
      <Refused error={error.value === undefined ? undefined : passkeyError(error.value)} />
    </>
  )
}
