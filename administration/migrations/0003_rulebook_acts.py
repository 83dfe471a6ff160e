from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("administration", "0002_job_acts"),
    ]

    operations = [
        migrations.AlterField(
            model_name="act",
            name="subject",
            field=models.CharField(
                choices=[
                    ("account", "Account"),
                    ("gang", "Gang"),
                    ("campaign", "Campaign"),
                    ("report", "Report"),
                    ("job", "Task"),
                    ("rulebook", "Rulebook"),
                ],
                max_length=10,
            ),
        ),
    ]
