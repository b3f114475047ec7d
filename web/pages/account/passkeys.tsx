import { call } from '../../api/client.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { shownDay } from '../../components/formats.ts'
import { say } from '../../components/toasts.tsx'
import { accountTexts } from '../../messages/account/texts.ts'
import { passkeyError } from '../../session/passkey-button.tsx'
import { createPasskey, type PasskeyOptions } from '../../session/web-authn.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { type FactorDialogProps, type Passkey, path } from './own-factors.ts'

const passkeyPath = `${path}/passkeys`

/** Own passkeys. */
export function PasskeyTable({
  passkeys,
  onDelete,
}: {
  passkeys: readonly Passkey[]
  onDelete(passkey: Passkey): void
}) {
  const texts = accountTexts.value
  const day = (text: string | undefined): string => (text === undefined ? texts.never : shownDay(text))
  return (
    <section class="scroll" aria-label={texts.passkeys}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.passkeyName}</th>
            <th>{texts.created}</th>
            <th>{texts.lastUsed}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {passkeys.map((one) => (
            <tr key={one.id}>
              <td dir="auto">{one.name}</td>
              <td data-l={texts.created}>{day(one.created)}</td>
              <td data-l={texts.lastUsed}>{day(one.lastUsed)}</td>
              <td class="num">
                <button type="button" class="btn sm" onClick={() => onDelete(one)}>
                  {texts.deletePasskey}
                  <span class="vh"> {one.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Registers a passkey of this browser or of a security key. */
export function NewPasskey({ onClose, onDone }: FactorDialogProps) {
  const texts = accountTexts.value
  const register = async (data: FormData): Promise<void> => {
    const body = { currentPassword: String(data.get('current')) }
    const { passkey } = await call<{ passkey: { options: PasskeyOptions; transaction: string } }>({
      method: 'POST',
      path: `${passkeyPath}/options`,
      body,
    })
    const response = await createPasskey(passkey.options).catch((error: unknown) => {
      throw passkeyError(error)
    })
    const made = { name: String(data.get('name')), transaction: passkey.transaction, response }
    await call({ method: 'POST', path: passkeyPath, body: { passkey: made } })
    say(texts.passkeyAdded(made.name))
    onClose()
    await onDone()
  }
  return (
    <Dialog title={texts.addPasskey} onClose={onClose}>
      <ConfirmForm act={texts.addPasskey} send={register} onClose={onClose}>
        <Field
          label={texts.passkeyName}
          hint={texts.passkeyNameHint}
          name="name"
          required
          autofocus
          maxLength={100}
        />
      </ConfirmForm>
    </Dialog>
  )
}

/** Asks before a passkey is deleted. */
export function DeletePasskey({ passkey, onClose, onDone }: FactorDialogProps & { passkey: Passkey }) {
  const texts = accountTexts.value
  const remove = async (): Promise<void> => {
    await call({ method: 'DELETE', path: `${passkeyPath}/${encodeURIComponent(passkey.id)}` })
    say(texts.passkeyDeleted(passkey.name))
    onClose()
    await onDone()
  }
  return (
    <Dialog title={texts.deletePasskeyTitle(passkey.name)} onClose={onClose}>
      <ConfirmForm act={texts.deletePasskey} isDanger hasPassword={false} send={remove} onClose={onClose}>
        <p>{texts.deletePasskeyText}</p>
      </ConfirmForm>
    </Dialog>
  )
}
