import { authorizedPayment, type Service } from '../../harness/http-service.ts'

type Make = (method: string, template: string, path: string) => Promise<void>

/** Requests everything merchants can see of their callbacks. */
export const walkCallbackSide = async (service: Service, make: Make): Promise<void> => {
  const { admin } = service
  const secret = '/merchant/v1/callback_secret/'
  for (const method of ['GET', 'POST']) await make(method, secret, secret)
  const callbacks = '/merchant/v1/callback/'
  await make('GET', callbacks, callbacks)
  await make('GET', `${callbacks}feed/`, `${callbacks}feed/`)
  const [told] = (await admin('GET', callbacks)).body.uris
  await make('GET', `${callbacks}{callback_id}/`, told)
  const addressed = await authorizedPayment(service, { callback_uri: 'http://127.0.0.1:1/' })
  const [sent] = (await admin('GET', `${callbacks}?resource=${addressed}`)).body.uris
  await make('POST', `${callbacks}{callback_id}/retry/`, `${sent}retry/`)
}
