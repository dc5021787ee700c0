/**
 * A callback of an emitter or a timer. Nobody waits for its end, so what it throws, at once or
 * later, goes to `failed`: thrown further, it would end the process.
 */
export const contain =
  <Given extends readonly unknown[]>(
    act: (...args: Given) => unknown,
    failed: (error: unknown) => void,
  ) =>
  (...args: Given): void => {
    try {
      const done = act(...args)
      if (done instanceof Promise) done.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
