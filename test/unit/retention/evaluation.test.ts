import { describeCases, HEAD, step, WATCHED } from './cases.js';

/** Numbered as in the catalogue of leaks in the wild; every pattern with a twin that must stay silent. */
describeCases('What keeps results of epochs, evaluations and trials', [
  {
    name: '6 a Lightning module that keeps step outputs',
    source: `
import torch
import pytorch_lightning as pl
class Lit(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)
        self.step_outputs = []
    def validation_step(self, batch, batch_idx):
        out = self.net(batch)  #!
        self.step_outputs.append(out)
        return out.mean()
def main():
    trainer = pl.Trainer()
    trainer.fit(Lit(), loader)  #1
main()  #2
`,
    keeps: 'self.step_outputs.append(out)',
  },
  {
    name: '6 a Lightning module that clears them at the end of the epoch',
    source: `
import torch
import pytorch_lightning as pl
class Lit(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)
        self.step_outputs = []
    def validation_step(self, batch, batch_idx):
        out = self.net(batch)  #!
        self.step_outputs.append(out)
        return out.mean()
    def on_validation_epoch_end(self):
        self.step_outputs.clear()
def main():
    trainer = pl.Trainer()
    trainer.fit(Lit(), loader)  #1
main()  #2
`,
    keeps: '',
  },
  {
    name: '7 a metric without a reset',
    source: `
class Metric:
    def __init__(self):
        self.reset()
    def reset(self):
        self.preds = []
    def update(self, preds):
        self.preds.append(preds.detach())
metric = Metric()
${step(WATCHED, 'metric.update(out)')}`,
    keeps: 'self.preds.append(preds.detach())',
  },
  {
    name: '7 a metric that each epoch resets',
    source: `
class Metric:
    def __init__(self):
        self.reset()
    def reset(self):
        self.preds = []
    def update(self, preds):
        self.preds.append(preds.detach())
metric = Metric()
${step(WATCHED, 'metric.update(out)')}
metric.reset()
`,
    keeps: '',
  },
  {
    name: '20 losses of the validation, kept with their graphs',
    source: `${HEAD}
def validate(batches):
    total = 0
    for x, y in batches:
        total += F.mse_loss(net(x), y)  #!
    return total / len(batches)
curve = []
for x, y in loader:
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    curve.append(validate(held_out))  #1
`,
    keeps: 'curve.append(validate(held_out))',
  },
  {
    name: '20 losses of a validation without graphs',
    source: `${HEAD}
@torch.no_grad()
def validate(batches):
    total = 0
    for x, y in batches:
        out = net(x)  #!
        total += F.mse_loss(out, y)
    return (total / len(batches)).item()
curve = []
for x, y in loader:
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    curve.append(validate(held_out))  #1
`,
    keeps: '',
  },
  {
    name: '21 predictions of a whole evaluation',
    source: `${HEAD}
def evaluate(batches):
    preds = []
    with torch.no_grad():
        for x in batches:
            preds.append(net(x))  #!
    return torch.cat(preds)
evaluate(loader)  #1
`,
    keeps: 'preds.append(net(x))',
  },
  {
    name: '21 predictions in host memory',
    source: `${HEAD}
def evaluate(batches):
    preds = []
    with torch.no_grad():
        for x in batches:
            preds.append(net(x).cpu())  #!
    return torch.cat(preds)
evaluate(loader)  #1
`,
    keeps: '',
  },
  {
    name: '23 a study that keeps schedulers',
    source: `
import torch
from torch import nn
def trial(study):
    net = nn.Linear(64, 64).cuda()  #!
    optimizer = torch.optim.Adam(net.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    for x in loader:
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
    study.append({'loss': loss.item(), 'scheduler': scheduler})
study = []
for n in range(10):
    trial(study)  #1
`,
    keeps: "study.append({'loss': loss.item(), 'scheduler': scheduler})",
  },
  {
    name: '23 a study that keeps results',
    source: `
import torch
from torch import nn
def trial(study):
    net = nn.Linear(64, 64).cuda()  #!
    optimizer = torch.optim.Adam(net.parameters())
    for x in loader:
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
    study.append({'loss': loss.item(), 'lr': optimizer.param_groups[0]['lr']})
study = []
for n in range(10):
    trial(study)  #1
`,
    keeps: '',
  },
]);
