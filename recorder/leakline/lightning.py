"""``Trainer(callbacks=[LeaklineCallback()])`` for Lightning: findings go to the trainer's loggers."""
from __future__ import annotations

import sys
from typing import Any, Optional

from .report import Report
from .watch import Watch, scalars, text

if 'pytorch_lightning' in sys.modules and 'lightning' not in sys.modules:
    from pytorch_lightning import Callback
else:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback


class LeaklineCallback(Callback):
    """Records the fit and judges it every so many epochs. Loggers get numbers below ``leakline/``; TensorBoard, W&B and
    MLflow get the findings as a text. ``root`` has the sources; ``options`` are those of ``leakline run``.
    """

    def __init__(self, every_n_epochs: int = 1, root: str = '.', **options: Any) -> None:
        super().__init__()
        self.report: Optional[Report] = None    #: the last verdict
        self._every = max(1, every_n_epochs)
        self._watch = Watch(root, options)

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        self._watch.start()

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        is_last = trainer.should_stop or trainer.current_epoch + 1 == trainer.max_epochs or trainer.global_step == trainer.max_steps
        if trainer.is_global_zero and (is_last or (trainer.current_epoch + 1) % self._every == 0):
            self._judge(trainer)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._watch.stop()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._watch.stop()

    def _judge(self, trainer: Any) -> None:
        self.report = self._watch.judge() or self.report
        if self.report is None:
            return
        for logger in trainer.loggers:
            logger.log_metrics(scalars(self.report), step=trainer.global_step)
            _log_text(logger, text(self.report), trainer.global_step)


def _log_text(logger: Any, findings: str, step: int) -> None:
    """Loggers have no method in common for texts."""
    kind = type(logger).__name__
    if kind == 'TensorBoardLogger':
        logger.experiment.add_text('leakline/findings', findings, step)
    elif kind == 'WandbLogger':
        logger.log_text('leakline/findings', columns=['findings'], data=[[findings]], step=step)
    elif kind == 'MLFlowLogger':
        logger.experiment.log_text(logger.run_id, findings, 'leakline/findings.md')
